package bench

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestTable(t *testing.T) {
	rows := []Row{
		{Preset: "tiny", Mode: "train", Batch: 32, Threads: 4, Device: "cpu", ImgS: 2018.4, ImgSBest: 2507,
			StepS: 0.015854, StepQ1: 0.0138, StepQ3: 0.0182, GFLOPS: 87.51, GEMMShare: 0.3049,
			PeakRSS: 42_500_000, AllocsStep: 618, FirstStepS: 0.0353},
		{Preset: "paper/quadratic", Changes: []string{"model.dim=128"}, Mode: "infer", Batch: 100, Threads: 1,
			Device: "cpu",
			ImgS:   9.654, ImgSBest: 9.9, StepS: 10.36, StepQ1: 10.2, StepQ3: 10.4, GFLOPS: 80.04, GEMMShare: 0.8951,
			PeakRSS: 1_214_000_000, AllocsStep: 34_120, FirstStepS: 9.99},
		{Preset: "small/quadratic", Mode: "train", Batch: 100, Threads: 4, Device: "CudaDevice(id=0)", ImgS: 98765,
			ImgSBest: 99900, StepS: 0.001, StepQ1: 0.001, StepQ3: 0.001, GFLOPS: 28_000, PeakRSS: 900e6,
			AllocsStep: 900,
			FirstStepS: 4.5},
	}
	var b strings.Builder
	points := []Point{{Preset: "tiny"}, {Preset: rows[1].Preset, Changes: rows[1].Changes}}
	l := newListing(&b, 0, Machine{CPU: "AMD EPYC", Cores: 4, Kernels: "avx2", Go: "go1.26.8"}, points)
	for _, r := range rows {
		l.Row(r)
	}
	l.End(rows, true)
	got := b.String()
	want := `AMD EPYC, 4 cores   avx2, go1.26.8

model             mode   batch  threads  images/s      best      step  spread  GFLOP/s  of GEMM   memory    alloc    start
tiny              train     32        4      2018      2507   15.9 ms   ±14 %     87.5     30 %  42.5 MB    618 B  35.3 ms
paper/quadratic*  infer    100        1      9.65      9.90    10.4 s    ±1 %     80.0     90 %  1.21 GB  34.1 kB   9.99 s
small/quadratic   train    100      gpu     98765     99900   1.00 ms    ±0 %    28000        -   900 MB    900 B   4.50 s

*        with model.dim=128
gpu      CudaDevice(id=0), experimental; memory and alloc are of the program on the host
images/s at the median step, and at the best; spread is half of what lies between the quartiles
GFLOP/s  of the work that is necessary: nothing that is computed twice; backward counts twice forward
of GEMM  against the matrix product alone, in the model's own shape, measured in turn with the steps
memory   the most that the process has held; alloc: allocated in a step
start    from the start of the process to the end of the first step
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// On a terminal of 80 columns each row takes two lines, and all its values are there.
func TestListingFits80Columns(t *testing.T) {
	row := Row{Preset: "paper/quadratic-general-pruned", Mode: "train", Batch: 100, Threads: 4, Device: "cpu",
		ImgS:     98765,
		ImgSBest: 99900, StepS: 0.001, StepQ1: 0.001, StepQ3: 0.001, GFLOPS: 28_000, PeakRSS: 900e6, AllocsStep: 900,
		FirstStepS: 4.5,
		Profile:    &Profile{Steps: 3, WallS: 2, CPUS: 7}}
	text := map[int]string{}
	for _, width := range []int{0, 80} {
		var b strings.Builder
		l := newListing(&b, width, Machine{CPU: "AMD EPYC", Cores: 4}, []Point{{Preset: row.Preset}})
		l.Row(row)
		l.End([]Row{row}, true)
		text[width] = b.String()
	}
	for line := range strings.Lines(text[80]) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	if diff := cmp.Diff(strings.Fields(text[0]), strings.Fields(text[80])); diff != "" {
		t.Error(diff)
	}
}

func TestProfileText(t *testing.T) {
	p := Profile{Steps: 3, WallS: 2, CPUS: 7,
		Functions: []Function{{Name: "tile12AVX512", CPUS: 3.5, Share: 0.5},
			{Name: "(Go's runtime)", CPUS: 3.5, Share: 0.5}},
		Operations: []Operation{{Name: "mix-separable", ForwardS: 0.5, BackwardS: 1.25, Share: 0.875},
			{Name: outside, ForwardS: 0.25, BackwardS: 0, Share: 0.125}}}
	want := `
tiny, train, batch 32, 4 threads: a step takes 2.00 s, and 7.00 s of processor time (3.5 threads busy)

      cpu    share  function
   3.50 s   50.0 %  tile12AVX512
   3.50 s   50.0 %  (Go's runtime)

  forward   backward    share  operation
   500 ms     1.25 s   87.5 %  mix-separable
   250 ms          -   12.5 %  (outside the graph)
`
	got := profileText(Row{Preset: "tiny", Mode: "train", Batch: 32, Threads: 4, Profile: &p})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestLongProfileSumsTheRest(t *testing.T) {
	var p Profile
	for range shown + 2 {
		p.Functions = append(p.Functions, Function{Name: "f", CPUS: 1, Share: 0.0625})
	}
	p.WallS, p.CPUS = 16, 16
	want := "\n   2.00 s   12.5 %  (2 others)\n\n"
	if got := profileText(Row{Profile: &p}); !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{seconds(0), "-"}, {seconds(0.00009), "0.09 ms"}, {seconds(0.9994), "999 ms"}, {seconds(0.9996), "1.00 s"},
		{seconds(123.4), "123 s"}, {digits(9.994), "9.99"}, {digits(9.996), "10.0"}, {digits(99.96), "100"},
		{digits(12345), "12345"}, {size(0), "0 B"}, {size(999), "999 B"}, {size(1000), "1.00 kB"},
		{size(999_600), "1.00 MB"},
		{size(6_500_000_000), "6.50 GB"},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}
