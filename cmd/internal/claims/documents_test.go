package claims

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/attnconv/attnconv/null"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/theorem"
)

// JSON has no infinity: a deviation that is not finite is null, and fails.
func TestInfiniteDeviationsAreNull(t *testing.T) {
	p := NewProof()
	all := []Judged{{Experiment: Experiment{Kernel: 3, Axes: 2, Border: "zero", Type: "float32"},
		Deviation: Deviation{Max: math.Inf(1), Rel: math.NaN(), Leak: 0.5}, Limit: 1e-6}}
	b, err := json.Marshal(p.Document(all))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Pass bool             `json:"pass"`
		Rows []map[string]any `json:"rows"`
	}
	if err := json.Unmarshal(b, &got); err != nil || got.Pass || got.Rows[0]["max_err"] != nil ||
		got.Rows[0]["max_rel_err"] != nil ||
		got.Rows[0]["leak"] != 0.5 || got.Rows[0]["pass"] != false {
		t.Errorf("%s, %v", b, err)
	}
	if refuted := (*RefutedError)(nil); !errors.As(p.Verdict(all), &refuted) ||
		!strings.Contains(refuted.Reason, "K = 3, zero, float32") {
		t.Errorf("the verdict is %v", p.Verdict(all))
	}
}

// All is every border, except for elliptic heads, which have no replicate padding; what cannot be computed is refused
// by name.
func TestResolve(t *testing.T) {
	p := NewProof()
	p.Alphas = []float64{46, 1}
	if err := p.Resolve(); err != nil || !slices.Equal(p.Borders, BorderNames()) || !slices.Equal(p.Types, Types) ||
		p.Alphas[0] != 1 {
		t.Errorf("%+v, %v", p, err)
	}
	p = NewProof()
	if p.Base.Elliptic = true; p.Resolve() != nil || slices.Contains(p.Borders, "replicate") || len(p.Borders) != 3 {
		t.Errorf("elliptic heads have the borders %v", p.Borders)
	}
	for key, change := range map[string]func(*Proof){
		"border": func(p *Proof) { p.Base.Elliptic, p.Borders = true, []string{"replicate"} },
		"dtype":  func(p *Proof) { p.Types = []string{"float16"} },
		"alpha":  func(p *Proof) { p.Alphas = nil },
		"axes":   func(p *Proof) { p.Base.Axes = 4 },
		"size":   func(p *Proof) { p.Base.Size = 6 },
	} {
		p := NewProof()
		change(&p)
		if wrong := (*option.Error)(nil); !errors.As(p.Resolve(), &wrong) || wrong.Key != key {
			t.Errorf("%s: %v", key, p.Resolve())
		}
	}
}

// Claims come in the ledger's order, and one that is not as recorded is in the verdict.
func TestLedgerDocument(t *testing.T) {
	claims, err := Claims("lemma-2", "theorem-1")
	if err != nil || len(claims) != 2 || claims[0].ID != "theorem-1" && claims[1].ID != "theorem-1" {
		t.Fatalf("%v, %v", claims, err)
	}
	if i, j := order("lemma-2"), order("theorem-1"); (i < j) != (claims[0].ID == "lemma-2") {
		t.Errorf("%s comes first", claims[0].ID)
	}
	if _, err := Claims("lemma-3"); err == nil || !strings.Contains(err.Error(), `did you mean "lemma-`) {
		t.Errorf("%v", err)
	}
	d := LedgerDocument([]Finding{{Claim: claims[0], Cases: 1}, {Claim: claims[1], Wrong: "off by 2"}}, 3)
	if err := LedgerVerdict(d); d.Pass || d.Seed != 3 || err == nil || err.Error() != "not as recorded: "+claims[1].ID {
		t.Errorf("%+v: %v", d, err)
	}
	text := LedgerText(d, 40)
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "      ") && len([]rune(strings.TrimSpace(line))) > 34 {
			t.Errorf("a line is too long: %s", line)
		}
	}
	if !strings.Contains(text, "\n      Wrong: off by 2\n") ||
		!strings.Contains(text, "\n1 of 2 claims as recorded: ") {
		t.Error(text)
	}
}

// order returns where a claim is in the ledger.
func order(id string) int {
	return slices.IndexFunc(Ledger(), func(c Claim) bool { return c.ID == id })
}

// The worst convolution is the one that is farthest beyond its own tolerance; an error that is not finite is worse than
// any.
func TestNetworkVerdict(t *testing.T) {
	site := func(name string, rel, tolerance float64) ProofSite {
		return ProofSite{Layer: name, MaxErr: null.Float(rel), MaxRelErr: null.Float(rel), Rounding: null.Float(0),
			Tolerance: tolerance}
	}
	r := NetworkProof{Alpha: 1, Rows: []ProofSite{site("a", 3e-6, 1e-6), site("b", 4e-6, 4e-6)}}
	if err := NetworkVerdict(r); err == nil || !strings.Contains(err.Error(),
		"relative error 3.0e-06 in a, α = 1; want 1.0e-06") {
		t.Errorf("%v", err)
	}
	r.Rows = append(r.Rows, site("c", math.NaN(), 1))
	if text := NetworkScreen(r); text != "FAIL  0 of 3 convolutions are attention with α = 1, on 0 images of .\n"+
		"      Relative error at most +Inf (c); the network's own: 0.0e+00.\n" {
		t.Error(text)
	}
	r.Rows[0].Layer, r.Rows[0].Channels, r.Rows[0].Size = "layer4.0.downsample.0", [2]int{512, 512}, [2]int{32, 32}
	for line := range strings.Lines(NetworkText(r, 80)) {
		// a sentence, which is folded
		if n := utf8.RuneCountInString(line); n > 81 && !strings.HasPrefix(line, "error ") {
			t.Errorf("%d columns: %s", n-1, line)
		}
	}
	if r.Pass = true; NetworkVerdict(r) != nil {
		t.Error("a proof that passes is refuted")
	}
	sites := []Site{{Name: "conv1"}, {Name: "conv2"}}
	if one, err := SiteNamed(sites, "conv2"); err != nil || len(one) != 1 || one[0].Name != "conv2" {
		t.Errorf("%v, %v", one, err)
	}
	if _, err := SiteNamed(sites, "conv3"); err == nil {
		t.Error("a convolution that there is not was found")
	}
}

// A site of another number of axes than an image's is an error, and strides may be left out.
func TestNetworkDocumentOfSites(t *testing.T) {
	site := func(axes ...int) Site {
		c := &theorem.Conv[float32]{Geometry: theorem.Geometry{Kernel: axes}, In: 1, Out: 1, Weight: []float32{2}}
		return Site{Name: "own", Conv: c, Size: axes, Images: [][]float32{{3}}, Results: [][]float32{{6}}}
	}
	d, err := NetworkDocument(t.Context(), []Site{site(1, 1)}, 46, 0)
	if err != nil || !d.Pass || d.Rows[0].Stride != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if _, err := NetworkDocument(t.Context(), []Site{site(1)}, 46, 0); err == nil ||
		!strings.Contains(err.Error(), "site own: want a convolution of images") {
		t.Errorf("one axis: %v", err)
	}
}
