package config_test

import (
	"testing"

	"fairlead/config"
)

// BenchmarkLoad is what every start pays for its configuration.
func BenchmarkLoad(b *testing.B) {
	home := b.TempDir()
	for b.Loop() {
		if _, err := config.Load(config.Options{Home: home, Profile: "web"}); err != nil {
			b.Fatal(err)
		}
	}
}
