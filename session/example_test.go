package session_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
	"github.com/attnconv/attnconv/session"
)

// A network and its settings to a checkpoint, and back. A run's folder opens in the same way.
func ExampleOpen() {
	path := filepath.Join(os.TempDir(), "attnconv-example.ckpt")
	defer os.Remove(path)
	settings, err := configs.Preset("tiny")
	if err != nil {
		fmt.Println(err)
		return
	}
	net, err := model.New(settings.Model, settings.Seed)
	if err != nil {
		fmt.Println(err)
		return
	}
	meta := ckpt.Meta{Kind: settings.Model.Kind, Config: string(settings.YAML())}
	if err := ckpt.Write(path, &ckpt.File{Meta: meta.Strings(), Tensors: net.Tensors()}); err != nil {
		fmt.Println(err)
		return
	}

	m, err := session.Open(path)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Net.Spec)
	// Output: mhsa: 3 × quadratic of 9 heads, dim 48, 64 tokens
}
