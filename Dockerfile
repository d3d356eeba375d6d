# Build from the root of the repository: docker build --tag petstore .
# The base image provides Node, in the same version as package.json's optional dependencies, which are left out.

FROM node:26.10.0-trixie-slim AS dependencies
WORKDIR /petstore
COPY package.json package-lock.json ./
# Workspace packages: the lock file names them, but the service does not use them.
COPY client/package.json ./client/
COPY console/package.json ./console/
COPY site/package.json ./site/
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund

# What the service serves: the console, the pages, and the packages of the clients. The pages are rendered by code of the service, which needs its
# packages, but not the Node among their optional dependencies: these are put where Node looks next.
FROM node:26.10.0-trixie-slim AS built
WORKDIR /petstore
COPY package.json package-lock.json tsconfig.json ./
COPY client ./client
COPY clients ./clients
COPY console ./console
COPY site ./site
COPY src ./src
COPY docs/guides ./docs/guides
RUN npm ci --workspace console --workspace site --ignore-scripts --no-audit --no-fund
COPY --from=dependencies /petstore/node_modules ../node_modules
RUN node console/build.ts
RUN node site/build.ts

FROM node:26.10.0-trixie-slim
LABEL org.opencontainers.image.title="Petstore" org.opencontainers.image.licenses="Apache-2.0"
# The public base address is not known here: set PETSTORE_PRODUCTION_URL or, on staging, PETSTORE_STAGING_URL.
ENV NODE_ENV=production PETSTORE_HOST=0.0.0.0 PETSTORE_OPERATOR_HOST=0.0.0.0 PETSTORE_DATA=/data
# With the embedded store, mount a volume here. The service writes to no other folder than this one and, for files that are imported and exported,
# /var/tmp: mount a volume there, too, if the root of the container is read-only.
RUN install --directory --owner=1000 --group=1000 --mode=0700 /data
WORKDIR /petstore
COPY --from=dependencies /petstore/node_modules ./node_modules
# A release names its commit in build.json; a checkout does not have it.
COPY package.json LICENSE build.json* ./
COPY bin ./bin
COPY src ./src
COPY deploy/live.js ./deploy/
COPY --from=built /petstore/console/dist ./console/dist
COPY --from=built /petstore/site/dist ./site/dist
# For `docker exec`.
RUN ln -s /petstore/bin/petstore.js /usr/local/bin/petstore
RUN install --directory --owner=1000 --group=1000 node_modules/.cache/petstore
# Numeric ids, so that Kubernetes can verify that the user is not root.
USER 1000:1000
# Each user has its own compile cache. Without one, every start and every command takes half a second and 35 MB more.
RUN node bin/compile.js
EXPOSE 8080 8081
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "deploy/live.js"]
ENTRYPOINT ["petstore"]
CMD ["serve"]
