package cmd

import (
	"github.com/attnconv/attnconv/ckpt"
	"github.com/attnconv/attnconv/cmd/internal/cli"
	"github.com/attnconv/attnconv/configs"
	"github.com/attnconv/attnconv/model"
)

func readCheckpoint(path string) (*ckpt.File, ckpt.Meta, error) {
	f, err := ckpt.Read(path)
	if err != nil {
		return nil, ckpt.Meta{}, err
	}
	meta, err := ckpt.ParseMeta(f.Meta)
	if err != nil {
		return nil, meta, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return f, meta, nil
}

func readNetwork(path string) (*model.Network, ckpt.Meta, error) {
	f, meta, err := readCheckpoint(path)
	if err != nil {
		return nil, meta, err
	}
	net, err := model.Load(f)
	if err != nil {
		return nil, meta, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return net, meta, nil
}

// loaded is a network with the settings of its run.
type loaded struct {
	path   string
	net    *model.Network
	config configs.Run
	meta   ckpt.Meta
}

// readModel reads the network of a checkpoint and the settings of its run.
func readModel(path string) (m loaded, err error) {
	net, meta, err := readNetwork(path)
	if err != nil {
		return m, err
	}
	config, err := configs.Parse(path+": attnconv.config", []byte(meta.Config))
	if err != nil {
		return m, &ckpt.Corrupt{Path: path, Reason: err.Error()}
	}
	return loaded{path, net, config, meta}, nil
}

// loadModel reads the model that a reference stands for: a checkpoint file, or a run that satisfies the need.
func loadModel(c *cli.Console, ref string, n cli.Need) (m loaded, err error) {
	path, err := c.Checkpoint(ref, n)
	if err != nil {
		return m, err
	}
	return readModel(path)
}
