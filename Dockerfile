# keplersim with clang, for CUDA tests in CI without a GPU: docs/ci.md. Build it in a clone: docker build -t keplersim .
FROM golang:1.26-bookworm AS build
WORKDIR /src
COPY . .
RUN make build

FROM debian:bookworm-slim
RUN apt-get update \
    && apt-get install -y --no-install-recommends clang-19 g++ make ca-certificates git \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /src/bin/keplersim /usr/local/bin/keplersim
RUN keplersim doctor
CMD ["keplersim", "--help"]
