package main

import (
	_ "embed"
	"regexp"
	"sync"

	"github.com/goccy/go-yaml"
)

// settings come from a suite's documentation, where a program's Makefile or run script lacks them: the source of its input, arguments, and
// the smaller of its sizes.
type settings struct {
	Program   string   `yaml:"program"`   // a regular expression for its path
	Needs     string   `yaml:"needs"`     // a missing part without which it cannot run anywhere
	Eligible  bool     `yaml:"eligible"`  // run it although its folder mentions something that Kepler lacks
	Apart     bool     `yaml:"apart"`     // ignore its Makefile: each file with a main is a program
	Prepare   string   `yaml:"prepare"`   // a shell command in its folder that makes its input
	Flags     []string `yaml:"flags"`     // for nvcc
	Make      []string `yaml:"make"`      // variables for make
	Run       string   `yaml:"run"`       // a shell command in its folder that runs it
	Arguments []string `yaml:"arguments"` // for the program
	Input     string   `yaml:"input"`     // for standard input
	Options   string   `yaml:"options"`   // for keplersim run: what the program assumes of its GPUs
	Why       string   `yaml:"why"`       // the source of these settings
}

//go:embed settings.yaml
var settingsText []byte

// suiteSettings say how to prepare a whole suite.
type suiteSettings struct {
	Marker string `yaml:"marker"` // a file that identifies the suite
	Setup  string `yaml:"setup"`  // a shell command in its root
}

type allSettings struct {
	Suites   []suiteSettings `yaml:"suites"`
	Programs []settings      `yaml:"programs"`
}

var readSettings = sync.OnceValues(func() (allSettings, error) {
	var all allSettings
	return all, yaml.UnmarshalWithOptions(settingsText, &all, yaml.Strict())
})

// settingsOf returns a program's settings. The first matching row counts.
func settingsOf(name string) settings {
	all, err := readSettings()
	if err != nil {
		panic(err) // the file is embedded, and a test reads it
	}
	for _, s := range all.Programs {
		if regexp.MustCompile(s.Program).MatchString(name) {
			return s
		}
	}
	return settings{}
}
