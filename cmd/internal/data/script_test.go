package data_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/data"
	"github.com/attnconv/attnconv/cmd/internal/eval"
	"github.com/attnconv/attnconv/cmd/internal/predict"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(data.New, eval.New, predict.New, train.New), data.Documents, eval.Documents,
		predict.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
