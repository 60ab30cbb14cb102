# The image: docs/deploy-containers.md. Built with nothing from the network but the two bases and packages of npm.

# Where it is built: any Linux (glibc) with npm and Node 20 or newer. The image gets the Node of package-lock.json.
ARG NODE_IMAGE=node:24.21.0-bookworm-slim
# What the image stands on: any Linux (glibc) with a shell.
ARG BASE_IMAGE=debian:bookworm-slim

FROM ${NODE_IMAGE} AS build
WORKDIR /build
COPY .npmrc package.json package-lock.json ./
COPY client/package.json client/
COPY pages/package.json pages/
COPY proof/package.json proof/
# A registry of your own: docker build --secret id=npmrc,src=FILE
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --include=dev
COPY . .
# The commit of the sources: there is no .git here.
ARG REVISION=unknown
RUN npm run build
# native: for the processor that builds. It needs a NODE_IMAGE with a compiler, such as node:24.21.0-bookworm.
ARG ARGON2=prebuilt
RUN case "$ARGON2" in \
      prebuilt) ;; \
      native) npm run --silent build:argon2 ;; \
      *) echo 'ARGON2 is prebuilt or native' >&2; exit 1 ;; \
    esac
# The files of a release, and Node.
RUN npm run --silent artefacts -- --folder /image \
 && cp -r --parents node_modules/node-linux-*/LICENSE node_modules/node-linux-*/bin/node $(ls -d node_modules/argon2/build 2>/dev/null) /image

FROM ${BASE_IMAGE}
ARG REVISION=unknown
ARG VERSION=unknown
ARG CREATED=
ARG SOURCE=
LABEL org.opencontainers.image.title="auth-gateway" \
      org.opencontainers.image.description="Logs people in with e-mail and password, and tells over GraphQL who is calling." \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="$VERSION" \
      org.opencontainers.image.created="$CREATED" \
      org.opencontainers.image.source="$SOURCE" \
      org.opencontainers.image.revision="$REVISION"
COPY --from=build /image /opt/auth-gateway
# The two folders belong to the gateway, and so do new volumes that are mounted there.
RUN ln -s /opt/auth-gateway/bin/auth-gateway /usr/local/bin/auth-gateway \
 && install -d -o 10001 -g 10001 -m 0700 /var/lib/auth-gateway \
 && install -d -o 10001 -g 10001 -m 0755 /run/secrets
ENV NODE_ENV=production LISTEN_HOST=0.0.0.0 DATA_DIR=/var/lib/auth-gateway
WORKDIR /var/lib/auth-gateway
USER 10001:10001
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s --retries=3 CMD ["auth-gateway", "health"]
ENTRYPOINT ["auth-gateway"]
CMD ["start"]
