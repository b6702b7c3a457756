# FreeBSD's ports, large enough for one of them: fetches from DISTDIR, stages with
# GNU make, and compresses manual pages as ports do. Works in WRKDIR.

PREFIX?=	/usr/local
STAGEDIR=	${WRKDIR}/stage
WRKSRC?=	${WRKDIR}/${PORTNAME}-${DISTVERSION}
ARCHIVE=	${DISTDIR}/${PORTNAME}-${DISTVERSION}.tar.gz

.if ${USES} != "gmake"
.error	only USES=gmake is known here
.endif

# Not with the flags of this make.
GMAKE=		cd ${WRKSRC} && env -u MAKEFLAGS make -j$$(nproc) ${MAKE_ARGS}

.MAIN:		stage
.PHONY:		stage
stage:
	tar -xzf ${ARCHIVE} -C ${WRKDIR}
	${GMAKE}
	${GMAKE} DESTDIR=${STAGEDIR} install
	find ${STAGEDIR}${PREFIX}/share/man -type f -exec gzip -9n {} +
	test -s ${LICENSE_FILE}
