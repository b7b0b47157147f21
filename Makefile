# The two commands: `make demo` (set-up and the main job) and `make test`
# (set-up and every test, also those on a real HBase). `make help` lists all.

GO        ?= go
DEMO_DIR  ?= demo
DEMO_ARGS ?= --quick --yes
FUZZ_TIME ?= 10s
BENCH     ?= .
BENCH_TIME ?= 1s
VERSIONS  ?= 2.4.18 2.5.13-hadoop3 2.6.4-hadoop3 3.0.0-alpha-4 1.7.2

GOFUMPT     = mvdan.cc/gofumpt@v0.12.0
STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2

# A bare environment may lack PATH entries or a home folder; Go needs both.
export PATH := $(if $(PATH),$(PATH):)/usr/local/go/bin:/usr/local/bin:/usr/bin:/bin
ifeq ($(HOME),)
export HOME := $(CURDIR)/.cache/home
endif

.DEFAULT_GOAL := help
.PHONY: help setup build demo test unit check bench test-matrix faults campaign calibrate fuzz clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1	\2/p' Makefile | expand -t 14

setup: ## install what is missing (JDK, Maven), or say what to install
	@GO="$(GO)" sh scripts/setup.sh

build: ## build bin/hbtune
	@$(GO) build -buildvcs=false -trimpath -o bin/hbtune ./cmd/hbtune

demo: setup build ## set up, start a local HBase, sweep four parameters, write the report
	bin/hbtune sweep $(DEMO_ARGS) --dir $(DEMO_DIR)

test: setup build ## set up and run every test, also those on a real HBase
	@GO="$(GO)" sh scripts/test.sh

unit: ## vet and the tests that need no HBase and no JDK
	$(GO) vet ./...
	$(GO) test ./...
	@echo "Tests on a real HBase were skipped; 'make test' runs them."

check: ## formatting, vet and static analysis
	@out=$$($(GO) run $(GOFUMPT) -l .) || exit 1; \
	if [ -n "$$out" ]; then echo "not formatted (run gofumpt -w on them):" $$out; exit 1; fi
	$(GO) vet ./...
	$(GO) vet -tags campaign,faults ./cmd ./sweep/...
	$(GO) run $(STATICCHECK) ./...

bench: setup build ## benchmarks, also beside HBase's PerformanceEvaluation (bench.json; half an hour)
	@HBTUNE_BENCH_JSON=$(CURDIR)/bench.json GO="$(GO)" sh scripts/test.sh -p 1 -run '^$$' -bench '$(BENCH)' -benchmem -benchtime $(BENCH_TIME) -timeout 90m

# test-matrix, faults and campaign take longer than `make test` should.
test-matrix: setup build ## the client's conformance tests on each version of HBase in use
	@for version in $(VERSIONS); do \
		echo "HBase $$version"; \
		HBTUNE_REAL=required HBTUNE_REAL_VERSION=$$version $(GO) test -count=1 -timeout 30m -run 'TestReal' ./sweep/hbase || exit 1; \
	done

faults: setup build ## the client under load while servers crash, regions move and more, on HDFS
	HBTUNE_REAL=required $(GO) test -count=1 -tags faults -timeout 40m -run TestRealFaults -v ./sweep/hbase

campaign: setup build ## suites, the Java driver, a crash while loading and an inspection under load on a real HBase
	HBTUNE_REAL=required $(GO) test -count=1 -p 1 -tags campaign -timeout 30m -run 'TestRealSuites|TestRealJavaDriver|TestRealFillOutlivesACrash|TestRealInspectUnderLoad' -v ./sweep/load ./cmd

calibrate: ## how often intervals and verdicts are right, on simulated data
	HBTUNE_CALIBRATE=1 $(GO) test -count=1 -timeout 60m -v -run Calibrat ./analyze/...

fuzz: ## every fuzz target for FUZZ_TIME
	@GO="$(GO)" sh scripts/fuzz.sh $(FUZZ_TIME)

clean: ## remove what was built (not the demo, not the local HBase)
	rm -rf bin
