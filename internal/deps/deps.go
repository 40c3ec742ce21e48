package deps

import (
	_ "github.com/chewxy/hm"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/spf13/cobra"
	_ "github.com/spf13/pflag"
	_ "go.yaml.in/yaml/v3"
	_ "golang.org/x/image/draw"
	_ "golang.org/x/sys/cpu"
	_ "golang.org/x/term"
	_ "gonum.org/v1/gonum/stat"
	_ "gonum.org/v1/plot"
	_ "gonum.org/v1/plot/vg/vgimg"
	_ "gonum.org/v1/plot/vg/vgsvg"
	_ "gorgonia.org/gorgonia"
	_ "gorgonia.org/tensor"
	_ "pgregory.net/rapid"
)
