# A small replacement for bsd.port.mk of FreeBSD's ports that is sufficient for one port. Takes
# the archive from DISTDIR, builds it with GNU make in WRKDIR, installs it into STAGEDIR, and
# compresses manual pages as ports do.

PREFIX?=	/usr/local
STAGEDIR=	${WRKDIR}/stage
WRKSRC?=	${WRKDIR}/${PORTNAME}-${DISTVERSION}
ARCHIVE=	${DISTDIR}/${PORTNAME}-${DISTVERSION}.tar.gz

.if ${USES} != "gmake"
.error	only USES=gmake is known here
.endif

# GNU make must not get the flags of bmake.
GMAKE=		cd ${WRKSRC} && env -u MAKEFLAGS make -j$$(nproc) ${MAKE_ARGS}

.MAIN:		stage
.PHONY:		stage
stage:
	tar -xzf ${ARCHIVE} -C ${WRKDIR}
	${GMAKE}
	${GMAKE} DESTDIR=${STAGEDIR} install
	find ${STAGEDIR}${PREFIX}/share/man -type f -exec gzip -9n {} +
	test -s ${LICENSE_FILE}
