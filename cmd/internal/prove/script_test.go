package prove_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/prove"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(prove.New, train.New), prove.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
