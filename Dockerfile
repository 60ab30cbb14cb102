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
# What runs: the bundle, and the packages that are not in it: argon2 and libsodium with what they load, bcrypt, and Node.
RUN mkdir /image \
 && cp -r --parents LICENSE package.json bin dist/account dist/client-package dist/console dist/explorer dist/program dist/set-password \
      src/credentials/passwords/common-passwords.txt node_modules/@node-rs/bcrypt node_modules/@node-rs/bcrypt-linux-*-gnu node_modules/@phc/format node_modules/argon2 node_modules/node-gyp-build \
      node_modules/sodium-native node_modules/require-addon node_modules/bare-* node_modules/which-runtime \
      node_modules/node-linux-*/LICENSE node_modules/node-linux-*/bin/node /image \
 && cd /image/node_modules \
 && rm -r argon2/argon2 argon2/argon2.cpp argon2/binding.gyp argon2/prebuilds/[!l]* sodium-native/prebuilds/[!l]* \
 && rm sodium-native/prebuilds/*/*.bare

FROM ${BASE_IMAGE}
ARG REVISION=unknown
LABEL org.opencontainers.image.title="auth-gateway" \
      org.opencontainers.image.description="Logs people in with e-mail and password, and tells over GraphQL who is calling." \
      org.opencontainers.image.licenses="MIT" \
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
