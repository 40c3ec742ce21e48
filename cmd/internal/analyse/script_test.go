package analyse_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/analyse"
	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/train"
)

func TestMain(m *testing.M) {
	clitest.Main(m, clitest.Of(analyse.New, train.New), analyse.Documents, train.Documents)
}

func TestScripts(t *testing.T) { clitest.Scripts(t) }
