# Only race, build-gpu and test-gpu need a C compiler. README.md has the two commands that everything starts from.
export CGO_ENABLED = 0

.PHONY: build build-gpu build-mpi test test-gpu race readme mutants bench bench-report golden example-runs docs studies figures site lint fuzz release third-party vuln

build: ## the program, as bin/attnconv
	go build -trimpath -ldflags '-s -w' -o bin/attnconv ./cmd/attnconv

build-gpu: ## the program with GPU support, as bin/attnconv-gpu; docs/gpu.md
	cd gpu && CGO_ENABLED=1 go build -trimpath -ldflags '-s -w' -o ../bin/attnconv-gpu .

build-mpi: ## the program with MPI, as bin/attnconv-mpi, for Linux; docs/scale.md
	go build -tags mpi -trimpath -ldflags '-s -w' -o bin/attnconv-mpi ./cmd/attnconv

test: ## the program, and the programs that make its pages
	go test ./...
	cd docs/gen && go test -count=1 ./...
	cd studies && go test -count=1 ./...

test-gpu: ## the module gpu, with a fake plugin; UPDATE_GOLDEN=1 accepts a changed program of a step
	cd gpu && CGO_ENABLED=1 go vet ./... && CGO_ENABLED=1 go test ./...

race: ## without the tests of speed, and without checks of pointers in GoMLX, which run past its slices
	CGO_ENABLED=1 go test -race -short -timeout 1h ./...
	cd gpu && CGO_ENABLED=1 go test -race -short -timeout 1h -gcflags=github.com/gomlx/compute/...=-d=checkptr=0 ./...

readme: ## run the commands of README.md and check that they print what it promises
	go run ./.ci/readme

mutants: ## mutation test: inject the faults of .ci/faults into a copy, one at a time, and check that prove or tests detect each; half an hour
	./.ci/mutants

bench: ## the matrix product against a register-only loop, the row kernels, convolutions, and the training steps of some presets
	go test -run '^$$' -bench . -benchtime 3x ./internal/gemm ./internal/kernel/...
	go run ./cmd/attnconv bench

bench-report: ## run the commands in bench/README.md again; minutes, with nothing else on the machine
	bench/report.sh bench/README.md

golden: ## accept the current output of commands and figures; read the diff before you commit it
	UPDATE_SCRIPTS=1 go test ./cmd/...
	UPDATE_GOLDEN=1 go test ./viz

example-runs: ## train and pack the runs of attnconv runs examples again; on a processor with AVX2
	go run ./.ci/exampleruns

docs: ## regenerate docs/commands.md from the commands, and docs/json.md from the types of documents
	cd docs/gen && go run ./reference -reference ../commands.md -json ../json.md

studies: ## compute docs/data/verdict.json and what pages quote from the results in studies
	cd studies && go run ./gen

figures: ## draw every figure of the documentation, in light and dark, from runs that this trains and from docs/data; minutes
	cd docs/gen && go run ./figures

site: ## the documentation as a web site, in site; needs no server
	.ci/site/make site

lint:
	gofmt -l . | (! grep .)
	go vet ./...
	go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	cd docs/gen && go vet ./... && go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
	cd studies && go vet ./... && go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...

third-party: ## regenerate THIRD_PARTY.md from the module cache
	go run ./.ci/thirdparty >THIRD_PARTY.md.tmp && mv THIRD_PARTY.md.tmp THIRD_PARTY.md

vuln: ## known vulnerabilities in code that the program calls; asks vuln.go.dev
	go run golang.org/x/vuln/cmd/govulncheck@v1.9.0 ./cmd/attnconv

fuzz: ## every parser for FUZZTIME
	./.ci/fuzz $(or $(FUZZTIME),10m)

release: ## archives of the program for three systems, amd64 and arm64, with checksums, in dist; the version is doc.go's
	./.ci/release
