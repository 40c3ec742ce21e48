package config_test

import (
	"testing"

	"github.com/attnconv/attnconv/cmd/internal/clitest"
	"github.com/attnconv/attnconv/cmd/internal/config"
)

func TestMain(m *testing.M) { clitest.Main(m, clitest.Of(config.New), config.Documents) }

func TestScripts(t *testing.T) { clitest.Scripts(t) }
