package model

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/posenc"
)

// The paper's table of FLOP, which counts two for each multiply-add of a linear map, to the digits that it follows
// from; by definition every query weighs 256 keys for 400 channels; as computed it weighs 16 rows and 16 columns; in
// the first layer 16 channels, which are 12, a one and zeros; and value and dense map are one.
func TestMACsOfThePaper(t *testing.T) {
	const (
		stem, head    = 256 * 12 * 400, 400 * 10
		value, feed   = 256 * 400 * 400, 2 * 256 * 400 * 512 // value is that of one head
		dense, weigh  = 256 * 400 * 400, 256 * 256 * 400
		firstValue    = 256 * 16 * 400
		stack         = stem + head + 6*feed
		nine, sixteen = 9, 16
	)
	for _, tt := range []struct {
		name   string
		change func(*Spec)
		gflop  float64 // as the paper counts
		want   MACs
	}{
		{"quadratic", func(*Spec) {}, 6.18, MACs{
			Definition: stack + 6*(nine*(value+weigh)+dense),
			Run:        stack + nine*(firstValue+5*value) + nine*256*32*(16+5*400),
			Paper:      stack + 6*(nine*value+dense),
		}},
		{"quadratic-general", func(s *Spec) { s.Encoding = "quadratic-general" }, 6.18, MACs{
			Definition: stack + 6*(nine*(value+weigh)+dense),
			Run:        stack + nine*(firstValue+5*value) + nine*256*256*(16+5*400),
			Paper:      stack + 6*(nine*value+dense),
		}},
		{"learned", func(s *Spec) { s.Encoding = "learned" }, 6.20, MACs{
			Definition: stack + 6*(nine*(value+weigh)+dense),
			Run:        stack + nine*(firstValue+5*value) + nine*256*32*(16+5*400),
			Paper:      stack + 6*(nine*value+dense+2*256*400*nine), // the map of 256 vectors an axis to the heads
		}},
		{"content", func(s *Spec) { s.Encoding = "content" }, 15.02, MACs{
			Definition: stack + 6*(nine*(3*value+2*weigh+256*32*200)+dense), // query, key, value; q·k, weigh; q·r
			// One map of the query stands for query and key; a query meets the key itself, and 31 shifts an axis.
			Run: stack + nine*(firstValue+5*value) + nine*256*256*(16+5*400) +
				nine*256*(16*(16+62)+256*16+5*(400*(400+62)+256*400)),
			Paper: stack + 6*(nine*3*value+dense),
		}},
		{"content-only, 8 heads of 50", func(s *Spec) { s.Encoding, s.Heads = "content-only", Ints{8} }, 3.23,
			MACs{
				Definition: stack + 6*(4*value+2*weigh), // query, key, value and what follows, each of 400; q·k, weigh
				Run: stack + 6*(weigh+dense) + 256*16*400 + 5*value + // weigh, dense; values
					8*256*(16*16+256*16) + 5*8*256*(2*400*50+256*50),
				Paper: stack + 6*4*value,
			}},
		{"quadratic, 16 heads", func(s *Spec) { s.Heads = Ints{16} }, 9.62, MACs{
			Definition: stack + 6*(sixteen*(value+weigh)+dense),
			Run:        stack + sixteen*(firstValue+5*value) + sixteen*256*32*(16+5*400),
			Paper:      stack + 6*(sixteen*value+dense),
		}},
		{"general, 15 heads pruned", func(s *Spec) {
			s.Encoding, s.Heads = "quadratic-general", Ints{7, 5, 8, 7, 3, 9}
		}, 4.95, MACs{
			Definition: stack + 39*(value+weigh) + 6*dense,
			Run:        stack + 7*firstValue + 32*value + 256*256*(7*16+32*400),
			Paper:      stack + 39*value + 6*dense,
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := Default()
			tt.change(&s)
			n, err := New(s, 0)
			if err != nil {
				t.Fatal(err)
			}
			got := n.Spec.MACs()
			if got != tt.want {
				t.Errorf("MACs() = %+v, want %+v", got, tt.want)
			}
			if gflop := math.Round(2e-7*float64(got.Paper)) / 100; gflop != tt.gflop {
				t.Errorf("%.2f GFLOP as the paper counts, want %.2f", gflop, tt.gflop)
			}
		})
	}
}

// What a network has depends on its kind.
func TestUses(t *testing.T) {
	for _, tt := range []struct {
		kind        string
		uses, spare string
	}{
		{"mhsa", "stem encoding layers heads dim ffn pool dropout attention_dropout max_position image kind", "width"},
		{"conv-twin", "layers heads dim ffn pool dropout classes kind",
			"width encoding attention_dropout max_position"},
		{"resnet18", "width classes image kind", "stem encoding layers heads dim ffn pool dropout attention_dropout"},
	} {
		s := Default()
		s.Kind = tt.kind
		for _, key := range strings.Fields(tt.uses) {
			if !s.Uses(key) {
				t.Errorf("%s does not use %s", tt.kind, key)
			}
		}
		for _, key := range strings.Fields(tt.spare) {
			if s.Uses(key) {
				t.Errorf("%s uses %s", tt.kind, key)
			}
		}
	}
}

// Every parameter belongs to one part, whatever the model.
func TestPartsHoldAllParameters(t *testing.T) {
	var all []Spec
	for _, kind := range Kinds.Names() {
		s := small()
		s.Kind, s.Width, s.Heads = kind, 4, Ints{4}
		all = append(all, s)
	}
	for _, kind := range []string{"mhsa", "conv-twin"} {
		s := small()
		s.Kind, s.Heads, s.Stem, s.Pool = kind, Ints{4}, "conv", 4
		all = append(all, s)
	}
	for _, encoding := range posenc.Kinds.Names() {
		s := small()
		s.Encoding, s.Heads = encoding, Ints{4}
		all = append(all, s)
	}
	for _, absolute := range posenc.Absolutes.Names() {
		s := small()
		s.Absolute, s.Value, s.Heads = absolute, "factored", Ints{4}
		if posenc.Absolutes.Find(absolute).WithToken {
			s.Encoding, s.Readout = "content-only", "token"
		}
		all = append(all, s)
	}
	for _, s := range all {
		kind := fmt.Sprint(s)
		n, err := New(s, 0)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, p := range n.Spec.Parts() {
			sum += p.Params
			if len(p.Out) == 0 || p.Field[0] < 1 || p.Kind == "" {
				t.Errorf("%s: a part lacks its result, field or kind: %+v", kind, p)
			}
		}
		want := nn.CountLearned(n.Params)
		if sum != want {
			t.Errorf("%s: the parts have %d parameters, the network %d", kind, sum, want)
		}
	}
}

// Two layers of 3 × 3 and 5 × 5 tokens of 2 × 2 pixels see 2·(1 + 2 + 4) pixels along an axis. One of all keys sees
// all.
func TestFieldOfWindows(t *testing.T) {
	for _, tt := range []struct {
		windows []Window
		want    [2]int
	}{
		{[]Window{{Size: 3}, {Size: 5}}, [2]int{14, 14}},
		{[]Window{{Size: 3, Dilation: 2, Border: "absent"}}, [2]int{10, 10}},
		{[]Window{{Size: 3}, {}}, [2]int{32, 32}},
	} {
		s := Default()
		s.Layers = nil
		for _, w := range tt.windows {
			s.Layers = append(s.Layers, Block{Own: map[string]any{"window": w}})
		}
		got := [2]int{}
		for _, p := range s.Parts() {
			if strings.HasPrefix(p.Kind, "attention") {
				got = p.Field
			}
		}
		if got != tt.want {
			t.Errorf("%v: the last layer sees %v pixels, want %v", tt.windows, got, tt.want)
		}
	}
}

// What stands before the first block sees a patch, also where the block adds to it, and what a block adds sees more.
func TestSumsBelongToBlocks(t *testing.T) {
	for _, norm := range []string{"post", "pre"} {
		s := Default()
		s.Encoding, s.Norm = "content-only", norm
		parts := s.Parts()
		for _, p := range parts {
			want := [2]int{32, 32}
			if p.Block == "" && p.Path != "classifier" && !strings.Contains(p.Path, "Norm") && p.Kind != "mean" {
				want = [2]int{s.Pool, s.Pool}
			}
			if p.Field != want {
				t.Errorf("norm %s: %s, %s sees %v pixels, want %v", norm, p.Path, p.Kind, p.Field, want)
			}
		}
		if kind := parts[len(parts)-3].Kind; (kind == "norm") != (norm == "pre") {
			t.Errorf("norm %s: the part before the mean is %q", norm, kind)
		}
	}
}
