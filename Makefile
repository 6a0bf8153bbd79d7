# The whole project is worked through these targets; `make help` lists them.
SHELL := /usr/bin/env bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

BUILD := $(CURDIR)/.build
GOLANGCI_VERSION := v2.15.0
GOLANGCI := $(BUILD)/bin/golangci-lint-$(GOLANGCI_VERSION)
GOVULNCHECK_VERSION := v1.1.4
# The binary that whole-process tests start. It is built with the race detector like the tests themselves.
export WAYBILL_BIN := $(BUILD)/bin/waybill
# A race-built program waits a second at its end by default, and whole-process tests end many.
export GORACE := atexit_sleep_ms=10

.PHONY: help
help: ## List the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | column -t -s "$$(printf '\t')"

.PHONY: test
test: tools node_modules/.installed ## Set up what is missing, then run every test (race detector on)
	.ci/with-servers $(MAKE) --no-print-directory test-go test-ts

.PHONY: test-go
test-go: binary
	go test -race -shuffle=on -timeout 15m ./...
	go test -C bench -race -shuffle=on ./...

.PHONY: test-ts
test-ts: binary node_modules/.installed
	npm test --workspaces --if-present

.PHONY: binary
binary:
	go build -race -o $(WAYBILL_BIN) ./server/cmd/waybill

.PHONY: tools
tools: ## Install the Debian packages that the tests need and the machine lacks
	.ci/tools

node_modules/.installed: package-lock.json
	npm ci --no-audit --no-fund
	touch $@

.PHONY: generate
generate: node_modules/.installed ## Make gen/, ent/ and docs/providers.md again from proto/, ent/schema and the providers
	go run ./proto/printvalidate $(BUILD)/proto
	npx buf format -w proto
	npx buf generate
	go generate ./ent
	go generate ./server/provider/catalog

.PHONY: check-generated
check-generated: ## Fail where generated code differs from what the pinned tools make
	.ci/check-generated

.PHONY: lint
lint: $(GOLANGCI) node_modules/.installed ## Lint Go, proto and TypeScript
	go run ./proto/printvalidate $(BUILD)/proto
	$(GOLANGCI) run ./...
	cd bench && $(GOLANGCI) run ./...
	npx buf lint
	npx buf format --diff --exit-code proto
	npm run lint --workspaces --if-present

.PHONY: breaking
breaking: node_modules/.installed ## Fail where proto/ breaks what the base revision promised
	.ci/breaking

.PHONY: audit
audit: ## Known vulnerabilities; needs the internet, so CI does not run it
	go run golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION) ./...
	npm audit --workspaces

.PHONY: fuzz
fuzz: ## Run every fuzz target for FUZZTIME (default 30s) each
	.ci/fuzz $${FUZZTIME:-30s}

.PHONY: bench-ingest
bench-ingest: tools ## Measure what receipt costs beside its floors; writes docs/performance.md (BENCH_ARGS="--help" lists more)
	go build -o $(BUILD)/bin/waybill-measured ./server/cmd/waybill
	go build -C bench -o $(BUILD)/bin/bench-ingest ./ingest
	PGOPTIONS_EXTRA='-c fsync=on -c full_page_writes=on' .ci/with-servers \
		$(BUILD)/bin/bench-ingest --waybill $(BUILD)/bin/waybill-measured --report docs/performance.md $${BENCH_ARGS:-}

.PHONY: clean
clean: ## Remove what was built
	rm -rf $(BUILD) node_modules clients/*/node_modules clients/*/dist

$(GOLANGCI):
	GOBIN=$(BUILD)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	mv $(BUILD)/bin/golangci-lint $@
