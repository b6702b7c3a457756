# make, make check, make install; `make V=1` shows every command.

VERSION = 2.0.0
# The system that the program is for, by its files in src/os; posix does for others.
SYSTEM_Linux = linux
SYSTEM_Darwin = darwin
SYSTEM_FreeBSD = freebsd
SYSTEM_OpenBSD = openbsd
SYSTEM_NetBSD = netbsd
HOST := $(shell uname -s)
SYSTEM ?= $(or $(SYSTEM_$(HOST)),posix)

EXE_windows = .exe
EXE = $(EXE_$(SYSTEM))

CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
BUILDDIR ?= build
INSTALL ?= install
# The programs that help to build run here, whatever is built for.
CC_FOR_BUILD ?= $(CC)
BASH_COMPLETIONS_DIR ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS_DIR ?= $(PREFIX)/share/zsh/site-functions
FISH_COMPLETIONS_DIR ?= $(PREFIX)/share/fish/vendor_completions.d
DOC_DIR ?= $(PREFIX)/share/doc/ioping
SUDO ?= $(if $(filter 0,$(shell id -u)),,sudo)

# The program needs these, whatever the user's flags are.
WARNINGS = -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes
# Windows 10, and the C library that is part of it.
OWN_CPPFLAGS_windows = -U_WIN32_WINNT -D_WIN32_WINNT=0x0A00 -DWIN32_LEAN_AND_MEAN \
	-D__USE_MINGW_ANSI_STDIO=0 -Isrc
# The kernel's headers, for a C library that comes without, such as that of musl-gcc.
ifeq ($(SYSTEM),linux)
KERNEL_CPPFLAGS := $(shell $(CC) $(CPPFLAGS) -E -include linux/fs.h -x c /dev/null >/dev/null \
	2>&1 || printf -- '-idirafter %s ' /usr/include \
	"/usr/include/$$($(CC) -print-multiarch 2>/dev/null)")
endif
OWN_CPPFLAGS = -Iinclude $(KERNEL_CPPFLAGS) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64 \
	-DOS_SYSTEM_$(SYSTEM) $(OWN_CPPFLAGS_$(SYSTEM)) \
	-DIOPING_VERSION='"$(VERSION)"' -DIO_ENGINES='$(IO_$(SYSTEM):%=ENGINE(%))'
PTHREAD = $(if $(filter windows,$(SYSTEM)),,-pthread)
# A small stack (ulimit -s 64) has room for all frames; sanitizers make them larger.
FRAMES = $(if $(findstring -fsanitize,$(CFLAGS)),,-Wframe-larger-than=16384)
OWN_CFLAGS = -std=c11 $(PTHREAD) $(WARNINGS) $(FRAMES) -Wconversion \
	-ffile-prefix-map='$(CURDIR)'=.
# Rows of a table may end where only zeroes would follow.
TEST_CFLAGS = -std=c11 $(PTHREAD) $(WARNINGS) -Wno-missing-field-initializers
OWN_LDLIBS_windows = -lntdll
OWN_LDLIBS_netbsd = -lrt
OWN_LDLIBS = -lm $(PTHREAD) $(OWN_LDLIBS_$(SYSTEM))
# No symbol is looked up in the middle of a request.
OWN_LDFLAGS_linux = -Wl,-z,now
OWN_LDFLAGS = $(OWN_LDFLAGS_$(SYSTEM))

COMPILE = $(CC) $(OWN_CPPFLAGS) $(CPPFLAGS) $(OWN_CFLAGS) $(CFLAGS)
COMPILE_TEST = $(CC) $(OWN_CPPFLAGS) -Isrc -Itests/support $(CPPFLAGS) $(TEST_CFLAGS) $(CFLAGS)

# The files of src/os for each system; fallback.c is for what these lack, by has.h there.
OS_unix = beside fallback posix_files posix_leftover posix_monitor posix_output \
	posix_process posix_signals posix_terminal posix_thread posix_wait streams
OS_linux = $(OS_unix) linux_* mountinfo
OS_darwin = $(OS_unix) bsd darwin
OS_freebsd = $(OS_unix) bsd
OS_netbsd = $(OS_unix) bsd
OS_openbsd = $(OS_unix) bsd
OS_posix = $(OS_unix)
OS_windows = beside fallback streams windows_*
OS_SRC = $(wildcard $(OS_$(SYSTEM):%=src/os/%.c))
# The engines that a system has beside the default, each a file of src/io. The order is
# that in which they are advised.
IO_linux = linux_uring linux_aio
IO_darwin = posix_aio
IO_freebsd = posix_aio
IO_netbsd = posix_aio
IO_posix = posix_aio
IO_windows = windows_overlapped
IO_SRC = $(patsubst %,src/io/%.c,io operations $(IO_$(SYSTEM)))
SRC := $(sort $(filter-out src/os/% src/io/%,$(wildcard src/*/*.c))) $(OS_SRC) $(IO_SRC)
OBJ := $(SRC:%.c=$(BUILDDIR)/%.o)
MAIN := $(BUILDDIR)/src/main.o
PROGRAM := $(BUILDDIR)/ioping$(EXE)
LIBRARY := $(BUILDDIR)/libioping.a

GENERATOR := $(BUILDDIR)/completions/generator
GENERATOR_SRC := src/io/operations.c \
	$(wildcard packaging/completions/*.c src/cli/*.c src/stats/*.c src/base/*.c)
COMPLETIONS := $(addprefix $(BUILDDIR)/completions/,ioping.bash _ioping ioping.fish)

SUPPORT_OBJ := $(patsubst %.c,$(BUILDDIR)/%.o,$(wildcard tests/support/*.c))
TESTS := $(sort $(patsubst %.c,$(BUILDDIR)/%,\
	$(wildcard tests/unit/*.c tests/unit/*/*.c tests/cli/*.c)))
# Tests that play the errors and the files of Linux, or compare with a program for it.
ifneq ($(SYSTEM),linux)
LEFT_OUT := $(shell tests/marked linux)
TESTS := $(filter-out $(LEFT_OUT:%=$(BUILDDIR)/tests/%),$(TESTS))
endif
FAULTS := $(BUILDDIR)/tests/faults.so
FORBID := $(BUILDDIR)/tests/forbid
FUSE_SERVER := $(BUILDDIR)/tests/fuse_server
BARE_LOOP := $(BUILDDIR)/tests/bench/bare
RECORD_LOOP := $(BUILDDIR)/tests/bench/record
START_LOOP := $(BUILDDIR)/tests/bench/start
SHARED_TABLE := $(BUILDDIR)/tests/bench/shared
FUZZ_NAMES := $(patsubst tests/fuzz/%.c,%,$(wildcard tests/fuzz/*.c))
FUZZ_OBJ := $(FUZZ_NAMES:%=$(BUILDDIR)/tests/fuzz/%.o)
FUZZERS := $(FUZZ_NAMES:%=$(BUILDDIR)/fuzz-%)
SOURCES = $(wildcard src/*.c src/*/*.[ch] include/*/*.h tests/*/*.[ch] tests/*/*/*.[ch] \
	packaging/completions/*.[ch])

Q = $(if $(V),,@)
SAY = $(if $(V),@:,@echo)

.DELETE_ON_ERROR:
ifneq ($(filter deps,$(MAKECMDGOALS)),)
.NOTPARALLEL: # what is built needs what is being installed
endif
.SECONDARY:
.PHONY: all check check-vm deps bench fuzz fuzz-corpus fuzz-build fuzzers install uninstall \
	clean dist static completions format lint FORCE

all: ioping$(EXE)

# Where the tree is read-only, the program is in BUILDDIR alone.
ioping$(EXE): $(PROGRAM) FORCE
	$(Q)[ ! -w . ] || cmp -s $(PROGRAM) $@ || { rm -f $@ && cp $(PROGRAM) $@; }

$(PROGRAM): $(MAIN) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)$(CC) $(CFLAGS) $(OWN_LDFLAGS) $(LDFLAGS) -o $@ $(MAIN) $(LIBRARY) \
		$(OWN_LDLIBS) $(LDLIBS)

$(LIBRARY): $(OBJ) $(BUILDDIR)/flags
	$(SAY) "  AR    $@"
	$(Q)rm -f $@ && $(AR) rc $@ $(OBJ)

$(BUILDDIR)/src/%.o: src/%.c $(BUILDDIR)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILE) -MMD -MP -c -o $@ $<

# Changed flags, and files that come or go, rebuild what they matter for.
$(BUILDDIR)/flags: FORCE
	$(Q)mkdir -p $(@D)
	$(Q)printf '%s\n' "$$FLAGS" | cmp -s - $@ || printf '%s\n' "$$FLAGS" >$@
export FLAGS = $(COMPILE) $(COMPILE_TEST) $(OWN_LDFLAGS) $(LDFLAGS) $(LDLIBS) $(OBJ) \
	$(CC_FOR_BUILD)

static: $(BUILDDIR)/ioping-static

$(BUILDDIR)/ioping-static: $(MAIN) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)$(CC) $(CFLAGS) $(OWN_LDFLAGS) $(LDFLAGS) -static -o $@ $(MAIN) $(LIBRARY) \
		$(OWN_LDLIBS) $(LDLIBS)

# Completions of shells, from the option table.

completions: $(COMPLETIONS)

$(GENERATOR): $(GENERATOR_SRC) $(wildcard packaging/completions/*.h include/*/*.h) \
	$(BUILDDIR)/flags
	$(SAY) "  TOOL  $@"
	$(Q)mkdir -p $(@D) && $(CC_FOR_BUILD) $(OWN_CPPFLAGS) -std=c11 $(WARNINGS) -o $@ \
		$(GENERATOR_SRC) -lm

$(BUILDDIR)/completions/ioping.bash: $(GENERATOR) packaging/completions/ioping.bash
	$(Q)mkdir -p $(@D) && $(GENERATOR) bash >$@ && \
		cat packaging/completions/ioping.bash >>$@

$(BUILDDIR)/completions/_ioping: $(GENERATOR)
	$(Q)mkdir -p $(@D) && $(GENERATOR) zsh >$@

$(BUILDDIR)/completions/ioping.fish: $(GENERATOR)
	$(Q)mkdir -p $(@D) && $(GENERATOR) fish >$@

# Tests. RUNNER goes before every program that is tested, such as valgrind. T names some
# of them by the ends of their paths, CHECK_JOBS says how many run at a time.

ifneq ($(filter check,$(MAKECMDGOALS)),)
CHOSEN := $(sort $(foreach name,$T,$(or $(filter %/$(name),$(TESTS)),\
	$(error T=$(name): no test program has this name))))
endif
CHOSEN := $(or $(CHOSEN),$(TESTS))

ifneq ($(HOST),Linux)
check:
	@echo 'make check: the tests are for Linux' >&2; exit 1
else
check: $(PROGRAM) $(CHOSEN) $(FAULTS) $(COMPLETIONS)
	$(if $(LEFT_OUT),@echo 'Left out as it is about Linux: $(LEFT_OUT)')
	$(Q)BUILDDIR='$(BUILDDIR)' RUNNER='$(RUNNER)' tests/run \
		$(if $(CHECK_JOBS),-j '$(CHECK_JOBS)') $(CHOSEN)
endif

$(BUILDDIR)/tests/support/%.o: tests/support/%.c $(BUILDDIR)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILE_TEST) -MMD -MP -c -o $@ $<

$(TESTS): $(BUILDDIR)/%: %.c $(SUPPORT_OBJ) $(LIBRARY)
	$(SAY) "  TEST  $<"
	$(Q)mkdir -p $(@D) && $(COMPILE_TEST) $(TEST_LDFLAGS) $(LDFLAGS) -MMD -MP -o $@ $< \
		$(filter %.o,$^) \
		$(LIBRARY) -lcmocka $(OWN_LDLIBS) $(LDLIBS)

# The kernel's part in these is played by the tests.
$(BUILDDIR)/tests/unit/io/test_engines $(BUILDDIR)/tests/unit/io/test_queue \
$(BUILDDIR)/tests/unit/io/test_queue_faults: TEST_LDFLAGS = -Wl,--wrap=syscall
$(BUILDDIR)/tests/unit/io/test_sync: TEST_LDFLAGS = -Wl,--wrap=os_file_read

# Under ordinary compilers the fuzzers' inputs are tried in a test.
$(BUILDDIR)/tests/unit/house/test_corpus: $(FUZZ_OBJ)

# The test plays what the system says of itself.
$(BUILDDIR)/tests/unit/target/test_io_mode: TEST_LDFLAGS = $(foreach call,drop direct random \
	write_back flush,-Wl,--wrap=os_file_$(call)) $(foreach call,os_device_is_disk os_device_size \
	os_file_backing os_path_raw os_resident_choose os_thread_counts_reads \
	os_file_charges_reads,-Wl,--wrap=$(call))

# The test sees whether a worker frees its memory.
$(BUILDDIR)/tests/unit/run/test_worker_failures: TEST_LDFLAGS = -Wl,--wrap=os_memory_free

# The test says what the kernel charges the process for.
$(BUILDDIR)/tests/unit/run/test_from_memory: TEST_LDFLAGS = \
	-Wl,--wrap=os_process_sectors -Wl,--wrap=os_thread_sectors

# The test sees when a worker empties the file that it appends to.
$(BUILDDIR)/tests/unit/run/test_worker_append: TEST_LDFLAGS = -Wl,--wrap=target_empty

# The mount table of Linux is parsed on every system, as it is mere arithmetic.
$(BUILDDIR)/tests/unit/os/test_mountinfo $(BUILDDIR)/tests/unit/house/test_corpus: \
	$(BUILDDIR)/src/os/mountinfo.o

$(FUZZ_OBJ): $(BUILDDIR)/tests/fuzz/%.o: tests/fuzz/%.c $(BUILDDIR)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILE_TEST) -DLLVMFuzzerTestOneInput=fuzz_$* \
		-MMD -MP -c -o $@ $<

$(FAULTS): $(wildcard tests/support/preload/*) $(BUILDDIR)/flags
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(CC) -O2 -Wall -Wextra -pthread -fPIC -shared -o $@ \
		$(filter %.c,$^) -ldl

$(BUILDDIR)/tests/cli/test_completions: | $(COMPLETIONS)

$(addprefix $(BUILDDIR)/tests/cli/,test_calls test_engines test_freeze test_monitor \
	test_sweep_rate): | $(FORBID)
$(FORBID): tests/support/tools/forbid.c $(BUILDDIR)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(CC) -O2 -D_GNU_SOURCE -std=c11 $(WARNINGS) -o $@ $<

# Tests that need the server skip where there is no libfuse 3.
$(filter $(BUILDDIR)/tests/cli/%,$(TESTS)): | $(FUSE_SERVER)
$(FUSE_SERVER): tests/support/tools/fuse_server.c $(BUILDDIR)/flags
	$(Q)pkg-config --exists fuse3 2>/dev/null || exit 0; echo "  CC    $<"; \
		mkdir -p $(@D) && $(CC) -O2 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -std=c11 \
		$(WARNINGS) $$(pkg-config --cflags fuse3) -o $@ $< $$(pkg-config --libs fuse3)

# Scenarios on a kernel of its own, in a virtual machine. T names some of tests/vm/*.sh.

check-vm: $(BUILDDIR)/ioping-static
	$(Q)BUILDDIR='$(BUILDDIR)' tests/vm/run $T

# Speed, as ratios within one run.

bench: $(PROGRAM) $(BARE_LOOP) $(RECORD_LOOP) $(START_LOOP) $(SHARED_TABLE)
	$(Q)BUILDDIR='$(BUILDDIR)' tests/bench/run
	@echo 'Recording a latency, ns of processor time:'
	$(Q)$(RECORD_LOOP)

$(RECORD_LOOP): tests/bench/record.c $(LIBRARY)
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(COMPILE_TEST) -o $@ $< $(LIBRARY) $(OWN_LDLIBS) $(LDLIBS)

$(SHARED_TABLE): tests/bench/shared.c $(MAIN) $(LIBRARY)
	$(SAY) "  LINK  $@"
	$(Q)mkdir -p $(@D) && $(COMPILE_TEST) $(OWN_LDFLAGS) $(LDFLAGS) \
		-Wl,--wrap=os_thread_unshare -o $@ $^ $(OWN_LDLIBS) $(LDLIBS)

$(BARE_LOOP) $(START_LOOP): $(BUILDDIR)/%: %.c $(BUILDDIR)/flags
	$(SAY) "  CC    $<"
	$(Q)mkdir -p $(@D) && $(CC) -O2 -D_GNU_SOURCE -std=c11 $(WARNINGS) -o $@ $<

# Fuzzing, FUZZ_SECONDS each: a build of its own by clang, in tests/fuzz. What it
# found joins the corpus by `make fuzz-corpus`, as far as it reaches new code.
FUZZ_SECONDS ?= 10
FUZZ_CC ?= clang
FUZZ_DIR = $(BUILDDIR)/tests/fuzz
FUZZ_CFLAGS = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all

fuzz: fuzz-build
	$(Q)BUILDDIR='$(FUZZ_DIR)' FUZZ_SECONDS='$(FUZZ_SECONDS)' tests/fuzz/run $(FUZZ_NAMES)

fuzz-corpus: fuzz-build
	$(Q)BUILDDIR='$(FUZZ_DIR)' tests/fuzz/run --merge $(FUZZ_NAMES)

fuzz-build:
	$(Q)$(MAKE) --no-print-directory BUILDDIR='$(FUZZ_DIR)' CC='$(FUZZ_CC)' \
		CFLAGS='$(FUZZ_CFLAGS)' CPPFLAGS= LDFLAGS= LDLIBS= fuzzers

fuzzers: $(FUZZERS)

$(FUZZERS): $(BUILDDIR)/fuzz-%: tests/fuzz/%.c $(LIBRARY)
	$(SAY) "  FUZZ  $<"
	$(Q)$(COMPILE_TEST) -fsanitize=fuzzer -MMD -MP -o $@ $< $(LIBRARY) $(OWN_LDLIBS)

MAN_DIR = $(DESTDIR)$(PREFIX)/share/man
install: $(PROGRAM) $(COMPLETIONS)
	$(INSTALL) -d '$(DESTDIR)$(PREFIX)/bin' '$(MAN_DIR)/man1' '$(MAN_DIR)/man5' \
		'$(MAN_DIR)/man7' '$(DESTDIR)$(PREFIX)/share/ioping' '$(DESTDIR)$(BASH_COMPLETIONS_DIR)' \
		'$(DESTDIR)$(ZSH_COMPLETIONS_DIR)' '$(DESTDIR)$(FISH_COMPLETIONS_DIR)' \
		'$(DESTDIR)$(DOC_DIR)/man/examples'
	$(INSTALL) -m 755 $(PROGRAM) '$(DESTDIR)$(PREFIX)/bin/ioping'
	$(INSTALL) -m 644 man/ioping.1 '$(MAN_DIR)/man1'
	$(INSTALL) -m 644 man/ioping-output.5 '$(MAN_DIR)/man5'
	$(INSTALL) -m 644 man/ioping-statistics.7 '$(MAN_DIR)/man7'
	$(INSTALL) -m 644 man/ioping.schema.json '$(DESTDIR)$(PREFIX)/share/ioping/ioping.schema.json'
	$(INSTALL) -m 644 $(BUILDDIR)/completions/ioping.bash \
		'$(DESTDIR)$(BASH_COMPLETIONS_DIR)/ioping'
	$(INSTALL) -m 644 $(BUILDDIR)/completions/_ioping '$(DESTDIR)$(ZSH_COMPLETIONS_DIR)/_ioping'
	$(INSTALL) -m 644 $(BUILDDIR)/completions/ioping.fish \
		'$(DESTDIR)$(FISH_COMPLETIONS_DIR)/ioping.fish'
	$(INSTALL) -m 644 README.md '$(DESTDIR)$(DOC_DIR)'
	$(INSTALL) -m 644 man/*.md '$(DESTDIR)$(DOC_DIR)/man'
	$(INSTALL) -m 644 man/examples/*.svg '$(DESTDIR)$(DOC_DIR)/man/examples'

uninstall:
	rm -f '$(DESTDIR)$(PREFIX)/bin/ioping' '$(MAN_DIR)/man1/ioping.1' \
		'$(MAN_DIR)/man5/ioping-output.5' '$(MAN_DIR)/man7/ioping-statistics.7' \
		'$(DESTDIR)$(PREFIX)/share/ioping/ioping.schema.json' \
		'$(DESTDIR)$(BASH_COMPLETIONS_DIR)/ioping' '$(DESTDIR)$(ZSH_COMPLETIONS_DIR)/_ioping' \
		'$(DESTDIR)$(FISH_COMPLETIONS_DIR)/ioping.fish' '$(DESTDIR)$(DOC_DIR)/README.md'
	rm -rf '$(DESTDIR)$(DOC_DIR)/man'
	rmdir '$(DESTDIR)$(PREFIX)/share/ioping' '$(DESTDIR)$(DOC_DIR)' 2>/dev/null || :

clean:
	rm -rf '$(BUILDDIR)' ioping ioping.exe

# The files that git knows, or those of an unpacked archive.
DIST = ioping-$(VERSION)
DIST_TOP = $(wildcard .ci .clang-format .editorconfig .gitignore LICENSE Makefile README.md \
	include man packaging src tests)
# The commit's date, or that of the newest file.
SOURCE_DATE_EPOCH ?= $(shell { test -e .git && git log -1 --format=%ct 2>/dev/null; } || \
	find $(DIST_TOP) -type f -exec stat -c %Y {} + | sort -n | tail -n 1)
dist:
	$(Q)mkdir -p $(BUILDDIR)
	$(Q){ test -e .git && git ls-files 2>/dev/null || find $(DIST_TOP) -type f; } | \
		LC_ALL=C sort >$(BUILDDIR)/files
	$(Q)tar --create --format=ustar --owner=0 --group=0 --numeric-owner --mode=go=rX,u+rw,a-s \
		--mtime=@$(SOURCE_DATE_EPOCH) --transform='s|^|$(DIST)/|' \
		--files-from=$(BUILDDIR)/files --file=$(BUILDDIR)/$(DIST).tar
	$(Q)gzip -9nf $(BUILDDIR)/$(DIST).tar
	@echo $(BUILDDIR)/$(DIST).tar.gz

format:
	clang-format -i $(SOURCES)

# One file at a time: with more, clang-tidy 14 takes each va_list for uninitialized.
# Checks that are left out, in this order: one asks for memset_s and similar functions, which
# no C library on Linux has; one forbids two neighbouring parameters of the same type; one takes
# each function whose name begins with posix_ for one of pthreads; the last two warn of
# conversions that are safe here, such as 2 * i as an index.
TIDY_CHECKS = readability-isolate-declaration,bugprone-*
TIDY_LEFT_OUT = -clang-analyzer-security.insecureAPI.DeprecatedOrUnsafeBufferHandling,$\
	-bugprone-easily-swappable-parameters,-bugprone-posix-return,$\
	-bugprone-narrowing-conversions,-bugprone-implicit-widening-of-multiplication-result
TIDY = xargs -I {} -P "$$(nproc)" clang-tidy --quiet --warnings-as-errors='*' \
	--checks='$(TIDY_CHECKS),$(TIDY_LEFT_OUT)' {}
# Shellcheck has a name for two things that are meant: a backslash at the end of a string,
# and that what comes after || may answer for both of what stands before it with &&.
SHELL_PROGRAMS = .ci/run tests/run tests/fetch tests/marked \
	$(filter-out tests/unit/%,$(wildcard tests/*/run)) \
	$(wildcard tests/*/*.sh tests/*/*/*.sh tests/support/shells/* \
	packaging/debian/tests/[!c]*) tests/cross/cmocka tests/cross/look \
	tests/packaging/packages tests/packaging/bare tests/packaging/links \
	tests/vm/image tests/vm/init tests/vm/scenario packaging/windows/zip
# Documents whose spelling is checked. Words that are no mistakes: the macro Nd.
DOCUMENTS = README.md src/README.md man packaging
SPELLED_RIGHT = nd
lint:
	codespell --ignore-words-list=$(SPELLED_RIGHT) $(DOCUMENTS)
	clang-format --dry-run -Werror $(SOURCES)
	cppcheck --quiet --error-exitcode=1 --std=c11 --inline-suppr --max-configs=50 \
		--enable=warning,performance,portability -Iinclude src packaging/completions
	printf '%s\n' $(SRC) src/main.c $(wildcard packaging/completions/*.c) | \
		$(TIDY) -- $(OWN_CPPFLAGS) -std=c11
	mandoc -T lint -W warning man/ioping.1 man/ioping-output.5 man/ioping-statistics.7
	for script in $(SHELL_PROGRAMS); do sh -n $$script || exit 1; done
	bash -n packaging/completions/ioping.bash
	shellcheck --exclude=SC1003,SC2015 $(SHELL_PROGRAMS) packaging/completions/ioping.bash

include packaging/cross.mk

# Usage: $(call get,COMMAND,PACKAGES): it installs them, or the administrator is told to.
get = { $(if $(SUDO),command -v $(firstword $(SUDO)) >/dev/null && )$1 $2; } || { echo \
	'make deps: not installed, for root to do: $2' >&2; exit 1; }
# One step for each package manager; what is there already costs nothing.
FILE_DEPS = e2fsprogs xfsprogs btrfs-progs squashfs-tools strace
APT_DEPS = libcmocka-dev jq mandoc $(FILE_DEPS) mount ioping gnuplot-nox python3-jsonschema \
	libxml2-utils w3c-sgml-lib fuse3 libfuse3-dev pkg-config libcap2-bin tmux
deps:
	$(Q)if command -v apt-get >/dev/null; then \
		[ "$$(dpkg -s $(APT_DEPS) 2>/dev/null | grep -c '^Status: install ok installed$$')" \
			= $(words $(APT_DEPS)) ] || $(call get,$(SUDO) apt-get update && $(SUDO) env \
			DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends,$(APT_DEPS)); \
	elif command -v dnf >/dev/null; then $(call get,$(SUDO) dnf install -y,libcmocka-devel \
		jq mandoc $(FILE_DEPS) util-linux gnuplot-minimal python3-jsonschema libxml2 \
		fuse3-devel pkgconf libcap tmux); \
	elif command -v pacman >/dev/null; then \
		$(call get,$(SUDO) pacman -S --needed --noconfirm,cmocka jq mandoc $(FILE_DEPS) \
		util-linux gnuplot python-jsonschema libxml2 fuse3 pkgconf libcap tmux); \
	elif command -v apk >/dev/null; then $(call get,$(SUDO) apk add,cmocka-dev jq mandoc \
		$(FILE_DEPS) util-linux gnuplot py3-jsonschema libxml2-utils fuse3-dev pkgconf \
		libcap-utils tmux); \
	elif command -v brew >/dev/null; then brew install cmocka jq mandoc; \
	elif command -v pkg >/dev/null; then \
		$(call get,$(SUDO) pkg install -y,cmocka jq mandoc e2fsprogs); \
	else echo 'make deps: no known package manager: install cmocka and jq' >&2; exit 1; fi

-include $(OBJ:.o=.d) $(MAIN:.o=.d) $(SUPPORT_OBJ:.o=.d) $(TESTS:=.d) \
	$(FUZZ_OBJ:.o=.d) $(FUZZERS:=.d)
