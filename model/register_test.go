package model_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/model/ckpt"
	"github.com/attnconv/attnconv/nn"
	"github.com/attnconv/attnconv/nn/op"
	"github.com/attnconv/attnconv/option"
	"github.com/attnconv/attnconv/posenc"
)

// Registered kinds: an encoding with a table of its own, a block of one map, and a network of one map.

type table struct{ row, col *nn.Param }

type tableOptions struct {
	Std float64 `yaml:"std"`
}

func (o *tableOptions) Validate() error { return option.Rate("std", o.Std) }

func (e table) Scores(g *nn.Graph, grid posenc.Grid) posenc.Scores {
	heads := e.row.Shape[0]
	return posenc.Separable{Row: op.ShiftScores(g.Use(e.row), heads, grid.Rows),
		Col: op.ShiftScores(g.Use(e.col), heads, grid.Cols)}
}

type mapOptions struct {
	Twice bool `yaml:"twice"`
}

type meanOptions struct {
	Width int `yaml:"width"`
}

func (o *meanOptions) Validate() error { return option.Between("width", o.Width, 1, 64) }

func register(t *testing.T) {
	kinds, blocks, encodings := model.Kinds, model.Blocks, posenc.Kinds
	model.Kinds, model.Blocks, posenc.Kinds = slices.Clone(kinds), slices.Clone(blocks), slices.Clone(encodings)
	t.Cleanup(func() { model.Kinds, model.Blocks, posenc.Kinds = kinds, blocks, encodings })
	posenc.Register(posenc.Kind{
		Name: "grid-table", Tables: true, Options: &tableOptions{Std: 0.5},
		New: func(s nn.Scope, o posenc.Options) posenc.Encoding {
			std, n := o.Own.(*tableOptions).Std, 2*o.MaxSide-1
			return table{s.Param("table_row", nn.Normal(0, std), o.Heads, n),
				s.Param("table_col", nn.Normal(0, std), o.Heads, n)}
		},
	})
	model.RegisterBlock(model.BlockKind{
		Name: "map", Options: &mapOptions{}, Weight: "map.weight",
		New: func(s nn.Scope, b model.BlockSpec) nn.Layer {
			s = s.In("attention").In("self")
			l := nn.Seq{nn.NewLinear(s.In("map"), b.Dim, b.Dim)}
			if b.OptionsOf().(*mapOptions).Twice {
				l = append(l, nn.NewLinear(s.In("again"), b.Dim, b.Dim))
			}
			return l
		},
	})
	model.Register(model.Kind{
		Name: "mean", Options: &meanOptions{Width: 4},
		New: func(s nn.Scope, spec model.Spec, _ []model.BlockSpec) nn.Layer {
			width := spec.OptionsOf().(*meanOptions).Width
			return nn.Seq{nn.NewLinear(s.In("up"), spec.Image[2], width), nn.MeanTokens{},
				nn.NewLinear(s.In("down"), width, spec.Classes)}
		},
	})
}

// small is a spec with what text says of it, as YAML.
func small(t *testing.T, text string) model.Spec {
	t.Helper()
	var n yaml.Node
	if err := yaml.Unmarshal([]byte(text), &n); err != nil {
		t.Fatal(err)
	}
	s := model.Default()
	s.Image, s.Dim, s.FFN, s.Heads, s.Pool = [3]int{8, 8, 3}, 6, 5, model.Ints{2}, 2
	if err := model.ReadSpec(&s, n.Content[0]); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

// Networks of registered kinds are built by their options, say what they use, and come back from a checkpoint.
func TestRegisteredKinds(t *testing.T) {
	register(t)
	for _, tt := range []struct {
		spec  string
		own   map[string]any
		words string
		uses  string
	}{
		{"{encoding: grid-table, layers: 2}", nil, "mhsa: 2 × grid-table of 2 heads, dim 6, 16 tokens", "grid_table_std"},
		{"{encoding: grid-table, grid_table_std: 0.25}", map[string]any{"grid_table_std": 0.25},
			"mhsa: 6 × grid-table of 2 heads, dim 6, 16 tokens", "grid_table_std"},
		{"{layers: [{kind: map, map_twice: true}, {encoding: grid-table, grid_table_std: 0.125}, {}]}", nil,
			"mhsa: 1 × map, 1 × grid-table of 2 heads, 1 × quadratic of 2 heads, dim 6, 16 tokens", "grid_table_std map_twice"},
		{"{kind: mean, mean_width: 7}", map[string]any{"mean_width": 7}, "mean", "mean_width"},
	} {
		s := small(t, tt.spec)
		if !reflect.DeepEqual(s.Own, tt.own) || s.String() != tt.words {
			t.Errorf("%s: %v with %v, want %s with %v", tt.spec, s, s.Own, tt.words, tt.own)
		}
		for _, key := range []string{"grid_table_std", "map_twice", "mean_width"} {
			if want := slices.Contains(strings.Fields(tt.uses), key); s.Uses(key) != want {
				t.Errorf("%s: Uses(%s) is %t", tt.spec, key, !want)
			}
		}
		net, err := model.New(s, 1)
		if err != nil {
			t.Fatalf("%s: %v", tt.spec, err)
		}
		if s.Params() != nn.CountLearned(net.Params) || len(s.Parts()) == 0 {
			t.Errorf("%s: %d parameters, and the network has %d", tt.spec, s.Params(), nn.CountLearned(net.Params))
		}
		path := filepath.Join(t.TempDir(), "net.ckpt")
		meta := ckpt.Meta{Kind: s.Kind, Config: "model: " + tt.spec[:len(tt.spec)-1] +
			", image: [8, 8, 3], dim: 6, ffn: 5, heads: 2, pool: 2}"}
		if err := ckpt.Write(path, &ckpt.File{Meta: meta.Strings(), Tensors: net.Tensors()}); err != nil {
			t.Fatal(err)
		}
		f, err := ckpt.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		back, err := model.Load(f)
		if err != nil {
			t.Fatalf("%s: %v", tt.spec, err)
		}
		for i, p := range net.Params {
			if !slices.Equal(p.Data, back.Params[i].Data) {
				t.Errorf("%s: %s comes back changed", tt.spec, p.Name)
			}
		}
	}
}

// What its weights tell of a network of a registered encoding is the encoding.
func TestInferRegistered(t *testing.T) {
	register(t)
	net, err := model.New(small(t, "{layers: [{encoding: grid-table}, {kind: map}]}"), 0)
	if err != nil {
		t.Fatal(err)
	}
	s, err := model.Infer(net.Tensors(), small(t, "{}"))
	if err != nil || s.Encoding != "grid-table" || s.Layers.String() != "[{}, {kind: map}]" {
		t.Errorf("Infer: %v, %s in layers %s, want table and a map", err, s.Encoding, s.Layers)
	}
}

func TestRegisteredOptionsAreChecked(t *testing.T) {
	register(t)
	for _, tt := range []struct{ spec, want string }{
		{"{encoding: grid-table, grid_table_std: 2}", "model.grid_table_std 2: want a rate"},
		{"{grid_table_std: 2}", ""}, // of an encoding that the network does not have
		{"{kind: mean, mean_width: 65}", "model.mean_width 65: want 1 to 64"},
		{"{layers: [{}, {encoding: grid-table, grid_table_std: -1}]}", "model.layers[1].grid_table_std -1: want a rate"},
		{"{layers: [{kind: map, grid_table_std: 0.5}]}",
			"model.layers[0].grid_table_std a block of kind map has none; it has map_twice"},
		{"{layers: [{map_twice: true}]}", "model.layers[0].map_twice a block of kind attention has none"},
	} {
		err := small(t, tt.spec).Validate()
		if tt.want == "" && err == nil {
			continue
		}
		if bad := (*option.Error)(nil); !errors.As(err, &bad) || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: Validate: %v, want %s", tt.spec, err, tt.want)
		}
	}
	s := small(t, "{}")
	s.Own = map[string]any{"grid_table_sdt": 0.5}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), `did you mean "grid_table_std"?`) {
		t.Errorf("an option that no kind has: %v", err)
	}
	s.Own = map[string]any{"grid_table_std": 1}
	if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "1: want a number") {
		t.Errorf("an option of another type: %v", err)
	}
}

// A checkpoint of a registered kind says which kind it needs, in a program that has not registered it.
func TestLoadWithoutTheKind(t *testing.T) {
	for config, want := range map[string]option.MissingError{
		"{encoding: grid-table, grid_table_std: 0.5}": {Key: "model.encoding", Name: "grid-table", By: "posenc.Register"},
		"{kind: mean}": {Key: "model.kind", Name: "mean", By: "model.Register"},
		"{layers: [{}, {kind: map, map_twice: true}]}": {Key: "the block", Name: "map", By: "model.RegisterBlock"},
		"{layers: [{encoding: grid-table}]}":           {Key: "model.encoding", Name: "grid-table", By: "posenc.Register"},
	} {
		_, err := model.Load(&ckpt.File{Meta: ckpt.Meta{Config: "model: " + config}.Strings()})
		if missing := (*option.MissingError)(nil); !errors.As(err, &missing) || *missing != want {
			t.Errorf("%s: Load: %v, want %+v", config, err, want)
		}
	}
}

func TestRegisterPanics(t *testing.T) {
	register(t)
	network, block := *model.Kinds.Find("mean"), *model.Blocks.Find("map")
	network.Name, block.Name = "mean2", "map2"
	for want, f := range map[string]func(){
		"model.Register: kind of network mean: the name is taken": func() {
			n := network
			n.Name = "mean"
			model.Register(n)
		},
		"kind of network quadratic: the name is taken": func() {
			n := network
			n.Name = "quadratic"
			model.Register(n)
		},
		"kind of network mean2: New is nil": func() {
			n := network
			n.New = nil
			model.Register(n)
		},
		"kind of network mean2: Block: it \"brick\": not one of": func() {
			n := network
			n.Block = "brick"
			model.Register(n)
		},
		"model.RegisterBlock: kind of block conv: the name": func() {
			b := block
			b.Name = "conv"
			model.RegisterBlock(b)
		},
		"kind of block map2: New is nil": func() {
			b := block
			b.New = nil
			model.RegisterBlock(b)
		},
		"kind of block map2: Weight is empty": func() {
			b := block
			b.Weight, b.Heads = "", func(ckpt.Shapes, int) int { return 1 }
			model.RegisterBlock(b)
		},
		"kind of block head: option Dim: the key head_dim is taken": func() {
			b := block
			b.Name, b.Options = "head", &struct {
				Dim int `yaml:"dim"`
			}{}
			model.RegisterBlock(b)
		},
	} {
		if got := fmt.Sprint(panicOf(f)); !strings.Contains(got, want) {
			t.Errorf("it panics with %s, want %q", got, want)
		}
	}
}

func panicOf(f func()) (p any) {
	defer func() { p = recover() }()
	f()
	return nil
}
