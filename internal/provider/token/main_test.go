package token_test

import (
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/providertest"
)

func TestMain(m *testing.M) { providertest.Main(m) }
