# The commands of the project; CONTRIBUTING.md explains each.
GO ?= go
BIN := bin/keplersim
# Every build and test uses the same flags, so that they share Go's build cache. Without C the program runs on any Linux. A build without
# symbols for debuggers takes a tenth less time and three quarters of the room; DEBUG=1 keeps them.
export CGO_ENABLED ?= 0
DEBUG ?=
# The compiler and the linker live for seconds. Where they collect no garbage below 700 MiB, a build takes a fifth less time.
COMPILE := '-toolexec=env GOGC=off GOMEMLIMIT=700MiB'
export GOFLAGS := $(strip $(GOFLAGS) -trimpath $(if $(DEBUG),,-gcflags=all=-dwarf=false -ldflags=-s) $(COMPILE))
PREFIX ?= $(HOME)/.local

.PHONY: net study study-long build release install run test test-all lint validate validation-kernels validation-figure fuzz hostile bench bench-baseline speed.pgo workloads suites indigo mutants libraries fp-exhaustive lab-lessons lab-editor pictures site clean

# By the profile timed runs take 7 % less time. Here it guides the simulation's packages alone, because with all packages a first build takes
# twice as long. After make speed.pgo, go clean -cache makes Go see the new profile.
GUIDED := '-gcflags=github.com/keplersim/keplersim/sim/...=$(if $(DEBUG),,-dwarf=false) -pgoprofile=cmd/keplersim/speed.pgo'

build: ## build bin/keplersim
	$(GO) build $(GUIDED) -o $(BIN) ./cmd/keplersim

release: ## the archives of a release into bin/release, from a clean clone: six platforms, checksums, SBOMs; built by the profile, which takes minutes
	$(GO) run ./tools/release $(RELEASE)

install: build ## put keplersim into PREFIX/bin (default ~/.local/bin; PREFIX=/usr/local for everybody)
	install -d "$(DESTDIR)$(PREFIX)/bin"
	install -m 755 $(BIN) "$(DESTDIR)$(PREFIX)/bin/keplersim"

run: build ## the main job: simulate the vector add on a GK110
	./$(BIN) run --config gk110.yaml workloads/vectoradd/vectoradd.ptx

# make lint vets.
TEST = $(GO) run ./tools/testrun $(TESTRUN) $(GO) test -json -vet=off -timeout 30m

test: ## what a change is likely to break, with Go alone; says which tests were left out because a tool is missing
	$(TEST) -short ./...

# Tests tagged alltests compare with libraries that take long to compile.
test-all: TESTRUN = -all
test-all: ## every test, the long ones too; fails where clang 19, chromium, firefox, node, Slurm, g++, make, cmake or python3 is missing
	$(TEST) -tags alltests ./cli ./lab ./host ./toolchain ./... # the longest first, so that no core waits for one of them at the end

lint: ## go vet, gofmt and staticcheck
	$(GO) vet -tags alltests ./...
	@unformatted="$$(gofmt -l $$(git ls-files '*.go'))"; if [ -n "$$unformatted" ]; then echo "gofmt these:"; echo "$$unformatted"; exit 1; fi
	$(GO) tool staticcheck -tags alltests ./...

BENCH ?= --runs 6
# Run as a program of its own: what it needs is nothing to us.
BENCHSTAT ?= $(GO) run golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
BASELINE ?= bin/bench-baseline.txt
bench: build ## the simulator's speed, workload by workload, beside the baseline if there is one (BENCH="-functional -runs 6" for others)
	$(GO) run ./tools/bench -keplersim ./$(BIN) -format benchstat $(BENCH) > bin/bench.txt
	$(BENCHSTAT) $$(test -f $(BASELINE) && echo $(BASELINE)) bin/bench.txt

bench-baseline: build ## keep this version's speed as what make bench compares with
	$(GO) run ./tools/bench -keplersim ./$(BIN) -format benchstat $(BENCH) > $(BASELINE)

# Without asyncpreemptoff, many samples on a busy machine are of a goroutine's interruption.
speed.pgo: ## profile every workload anew for the compiler, which builds what is hot for speed: cmd/keplersim/speed.pgo
	rm -rf bin/profiles && mkdir -p bin/profiles
	for round in 1 2 3 4 5 6; do for file in workloads/*/*.yaml; do \
		GODEBUG=asyncpreemptoff=1 ./$(BIN) run --threads 1 --cpuprofile bin/profiles/$$(basename $$file .yaml).$$round.pb $$file >/dev/null || exit 1; done; done
	$(GO) tool pprof -proto bin/profiles/*.pb > cmd/keplersim/speed.pgo

FUZZTIME ?= 20s
FUZZED ?= $(FUZZTIME)
fuzz: ## run every fuzzer for FUZZTIME (default 20s) to find inputs, and for FUZZED (default the same) a hundred times as fast on changes of them; then random programs that no run has seen
	@set -e; for package in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n1 dirname | sort -u); do \
		found=$$($(GO) env GOCACHE)/fuzz/$$($(GO) list $$package); \
		for fuzzer in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			echo "$$package $$fuzzer"; \
			$(GO) test -run '^$$' -fuzz "^$$fuzzer\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 1s $$package; \
			KEPLERSIM_EXECUTIONS=$(FUZZED) KEPLERSIM_FOUND=$$found $(GO) test -run "^$$fuzzer\$$" -v -timeout 24h $$package | \
				grep -E 'executions|^(FAIL|panic)'; \
		done; \
	done
	$(GO) test -count=1 -timeout 60m ./testkit/randomptx -seed 0
	$(GO) test -count=1 -timeout 60m -run UnderCaps ./isa/lower -seed 0

study: build ## the worked study of docs/research.md: warp scheduling on every workload; about a minute of one core
	./$(BIN) sweep examples/studies/schedulers.yaml -o bin/schedulers.csv
	./$(BIN) sweep report bin/schedulers.csv --html bin/schedulers.html

study-long: ## a study of 10,000 points that is killed 20 times, against an undisturbed run; minutes
	KEPLERSIM_STUDY_POINTS=10000 $(GO) test -count=1 -timeout 120m -v -run TestKilledStudiesLoseNothing ./study

hostile: ## 43,575 hostile inputs and 2,000,000 requests of programs (PTX, studies, checkpoints, HTTP, DAP, ...): no bug page, at most 20 s and 1 GB each; minutes
	KEPLERSIM_HOSTILE=1 $(GO) test -count=1 -timeout 120m -v -run TestHostile ./cli ./runtime

NET ?= 240
net: ## NET random launches with --sample, --sample=time and budgets against whole timed runs (default 240; NET=2000+240 for others); minutes
	KEPLERSIM_NET=$(NET) $(GO) test -count=1 -timeout 120m -v -run TestIntervalsHaveTheTrueCycles ./sim

workloads: ## make the .ptx of every workload from its .cu; needs clang 14 or newer (the committed ones: clang-19)
	cd workloads && $(GO) run ../tools/compile/workloads

fp-exhaustive: ## compare the f32 unary functions with a real GPU on all 2^32 inputs: prints the share equal; about 15 minutes of two cores
	KEPLERSIM_EXHAUSTIVE=1 $(GO) test -count=1 -timeout 120m -v -run TestExhaustive ./isa/fp

lab-lessons: ## compile the CUDA C of the lab's lessons; needs clang 14 or newer (the committed ones: clang-19)
	$(GO) run ./tools/compile/lessons

lab-editor: ## make the lab's editor, lab/web/editor.js, from CodeMirror; needs npm
	cd lab/editor && npm ci && npm run build

pictures: ## take the README's pictures anew, in light and dark, from real runs: docs/pictures; needs chromium and clang 14 or newer
	KEPLERSIM_PICTURES=1 $(GO) test -count=1 -v -run TestReadmeShowsPictures ./cli

SITE ?= bin/site
site: build ## write the documentation and the lab as one site for any web host into SITE (default bin/site)
	GOOS=js GOARCH=wasm $(GO) build -ldflags "-s -w" -o bin/lab-engine.wasm ./cmd/lab-engine
	./$(BIN) lab --site $(SITE)/lab --engine bin/lab-engine.wasm --loader "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js"
	$(GO) run ./tools/site $(SITE)

suites: build ## build and run the programs of a public suite: make suites SUITE=folder (SUITES="--limit 1m --every 5" for a sample)
	$(GO) run ./tools/suites -keplersim ./$(BIN) $(SUITES) $(SUITE)

mutants: ## change the simulator's sources in 200 places, one at a time, and name the changes that no test notices; an hour (MUTANTS="-count 40 -parallel 8")
	$(GO) run ./tools/mutants $(MUTANTS)

indigo: build ## the three suites of labelled bugs of Indigo under all checks: make indigo INDIGO=checkouts (SAMPLE=100 for one program in a hundred)
	KEPLERSIM=./$(BIN) $(GO) run ./tools/indigo -keplersim ./$(BIN) -sample $(or $(SAMPLE),1) $(INDIGO)

libraries: ## Thrust and CUB on a million elements; needs libthrust-dev and libcub-dev
	KEPLERSIM_LIBRARIES=1048576 $(GO) test -count=1 -timeout 60m -v -run TestLibraries ./runtime

clean: ## remove what the targets above made
	rm -rf bin

validate: build ## published measurements of real cards beside ours; see docs/validation.md
	./$(BIN) validate

validation-kernels: ## make the .ptx of validation's measured kernels from their .cu; needs clang 14 or newer (the committed ones: clang-19)
	cd validation && $(GO) run ../tools/compile/validation

validation-figure: ## draw docs/validation.svg anew from the recorded rows: report/errors.csv with the published times
	KEPLERSIM_UPDATE=1 $(GO) test -count=1 -run ValidationFigure ./cli
