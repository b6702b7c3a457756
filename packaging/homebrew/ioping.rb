# There is no published home to fetch from: put ioping-2.0.0.tar.gz, as made by
# `make dist`, beside this file. The archive has this file in it, so its checksum
# cannot be in here.
class Ioping < Formula
  desc "Ping for storage: latency of disks and file systems"
  url "file://#{__dir__}/ioping-2.0.0.tar.gz"
  license "MIT"

  def install
    system "make", "install", "PREFIX=#{prefix}",
           "BASH_COMPLETIONS_DIR=#{bash_completion}",
           "ZSH_COMPLETIONS_DIR=#{zsh_completion}",
           "FISH_COMPLETIONS_DIR=#{fish_completion}"
  end

  test do
    assert_equal "ioping #{version}", shell_output("#{bin}/ioping -v").strip

    said = shell_output("#{bin}/ioping -c 3 -i 0 #{testpath}")
    assert_match(/request=3 time=/, said)
    assert_match(/^2 requests completed in /, said)

    run = JSON.parse(shell_output("#{bin}/ioping -J -q -c 3 -i 0 #{testpath}")).last
    assert_equal testpath.to_s, run["target"]["path"]
    assert_equal 3, run["load"]["count"]

    assert_match "No such file", shell_output("#{bin}/ioping -c 1 missing 2>&1", 2)
  end
end
