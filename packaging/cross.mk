# The program for other systems and processors, by zig as the compiler (`pip install
# ziglang`), which brings the libraries of all of them. `make cross` builds all in
# BUILDDIR/cross/NAME and looks at what it got, `make cross-NAME` one, `make cross-list`
# says which; `make cross-check` runs the tests of some for Linux under qemu-user.
ZIG ?= python3 -m ziglang

# Name, target as zig calls it (with the oldest C library that is to do), SYSTEM, linkage.
# The oldest for glibc of 32 bits is the first that counts seconds in 64.
CROSS_TARGETS = \
	x86_64-linux:x86_64-linux-gnu.2.17:linux:shared \
	aarch64-linux:aarch64-linux-gnu.2.17:linux:shared \
	i386-linux:x86-linux-gnu.2.34:linux:shared \
	armv7-linux:arm-linux-gnueabihf.2.34:linux:shared \
	x86_64-musl:x86_64-linux-musl:linux:static \
	aarch64-musl:aarch64-linux-musl:linux:static \
	riscv64-musl:riscv64-linux-musl:linux:static \
	s390x-musl:s390x-linux-musl:linux:static \
	i386-musl:x86-linux-musl:linux:static \
	armv7-musl:arm-linux-musleabihf:linux:static \
	x86_64-macos:x86_64-macos:darwin:shared \
	aarch64-macos:aarch64-macos:darwin:shared \
	x86_64-freebsd:x86_64-freebsd:freebsd:shared \
	aarch64-freebsd:aarch64-freebsd:freebsd:shared \
	x86_64-openbsd:x86_64-openbsd:openbsd:shared \
	aarch64-openbsd:aarch64-openbsd:openbsd:shared \
	x86_64-netbsd:x86_64-netbsd:netbsd:shared \
	aarch64-netbsd:aarch64-netbsd:netbsd:shared \
	x86_64-windows:x86_64-windows-gnu:windows:shared \
	aarch64-windows:aarch64-windows-gnu:windows:shared
# Those whose tests `make cross-check` runs here: with the other order of bytes first.
CROSS_TESTED ?= s390x-musl armv7-musl aarch64-musl riscv64-musl i386-musl

CROSS = $(BUILDDIR)/cross
CROSS_NAMES := $(foreach row,$(CROSS_TARGETS),$(firstword $(subst :, ,$(row))))
cross_word = $(word $2,$(subst :, ,$(filter $1:%,$(CROSS_TARGETS))))
cross_triple = $(call cross_word,$1,2)
cross_system = $(call cross_word,$1,3)
cross_program = $(CROSS)/$1/ioping$(if $(filter windows,$(call cross_system,$1)),.exe)
cross_cc = $(ZIG) cc -target $(call cross_triple,$1)

# The flags of the user do not count. Those that zig's linker does not know are left out.
# Zig itself takes -Oz, which is smaller, for -Os.
CROSS_CFLAGS = -Os -Xclang -Oz -Werror -ffunction-sections -fdata-sections
# Nothing unwinds the stack of a program without symbols: tables for that are a tenth of it,
# and pointers to its frames another fiftieth.
CROSS_CFLAGS_linux = -fno-unwind-tables -fno-asynchronous-unwind-tables \
	-fomit-frame-pointer
CROSS_LDFLAGS_linux = -Wl,-z,now -Wl,--gc-sections
CMOCKA = $(CROSS)/cmocka
# The header of cmocka would define uintptr_t, which C libraries define as well.
CMOCKA_CPPFLAGS = -isystem $(CMOCKA)/include -D_UINTPTR_T_DEFINED
cross_make = $(MAKE) --no-print-directory CC='$(call cross_cc,$1)' AR='$(ZIG) ar' \
	SYSTEM=$(call cross_system,$1) BUILDDIR='$(CROSS)/$1' \
	CFLAGS='$(CROSS_CFLAGS) $(CROSS_CFLAGS_$(call cross_system,$1))' \
	CPPFLAGS='$(if $(filter $1,$(CROSS_TESTED)),$(CMOCKA_CPPFLAGS))' LDLIBS= LDFLAGS='-s \
	$(if $(filter static,$(call cross_word,$1,4)),-static) -L$(CROSS)/$1' \
	$(if $(filter linux,$(call cross_system,$1)),OWN_LDFLAGS='$(CROSS_LDFLAGS_linux)')

.PHONY: cross cross-list cross-all cross-check cross-tests $(CROSS_NAMES:%=cross-%) \
	$(CROSS_TESTED:%=cross-tests-%)

# All that can be built is built, and looked at, before any failure counts.
cross:
	+$(Q)status=0; $(MAKE) -k --no-print-directory cross-all || status=1; \
		ZIG='$(ZIG)' BUILDDIR='$(BUILDDIR)' tests/cross/look $(CROSS_TARGETS) || status=1; \
		exit $$status

cross-list:
	@printf '%-16s %-26s %-8s %s\n' name target system linkage \
		$(subst :, ,$(CROSS_TARGETS))

cross-all: $(CROSS_NAMES:%=cross-%)

# An older program is not taken for what was built.
$(CROSS_NAMES:%=cross-%): cross-%:
	+$(Q)$(call cross_make,$*) $(call cross_program,$*) || \
		{ rm -f $(call cross_program,$*); exit 1; }

# The command-line tests themselves are built for this machine; the programs that they
# test, and the unit tests, are not.
cross-check: cross-tests $(filter $(BUILDDIR)/tests/cli/%,$(TESTS)) $(FAULTS) $(FORBID)
	$(Q)BUILDDIR='$(BUILDDIR)' tests/cross/run $(CROSS_TESTED)

cross-tests: $(CROSS_TESTED:%=cross-tests-%)

$(CROSS_TESTED:%=cross-tests-%): cross-tests-%: $(CROSS)/%/libcmocka.a
	+$(Q)$(call cross_make,$*) $(call cross_program,$*) \
		$(patsubst $(BUILDDIR)/%,$(CROSS)/$*/%,$(filter $(BUILDDIR)/tests/unit/%,$(TESTS)))

# cmocka has no more to be told about these systems.
CMOCKA_FLAGS = -O2 -w $(CMOCKA_CPPFLAGS) $(addprefix -DHAVE_,MALLOC_H INTTYPES_H \
	SIGNAL_H STRINGS_H GCC_THREAD_LOCAL_STORAGE CLOCK_REALTIME SIGLONGJMP STRSIGNAL \
	STRUCT_TIMESPEC)

$(CROSS)/%/libcmocka.a: $(CMOCKA)/src/cmocka.c
	$(SAY) "  AR    $@"
	$(Q)mkdir -p $(@D) && $(call cross_cc,$*) $(CMOCKA_FLAGS) \
		-c -o $(@D)/cmocka.o $< && rm -f $@ && $(ZIG) ar rc $@ $(@D)/cmocka.o

$(CMOCKA)/src/cmocka.c:
	$(Q)tests/cross/cmocka '$(CMOCKA)'

# The program for Windows with its texts, for those who have no package manager.
ZIP_MACHINES = x86_64 aarch64
.PHONY: windows-zip
windows-zip: $(ZIP_MACHINES:%=cross-%-windows)
	$(Q)for machine in $(ZIP_MACHINES); do \
		zip='$(BUILDDIR)/$(DIST)-windows-'$$machine.zip; \
		SOURCE_DATE_EPOCH='$(SOURCE_DATE_EPOCH)' packaging/windows/zip \
			'$(CROSS)/'$$machine-windows/ioping.exe "$$zip" && echo "$$zip" || exit 1; done
