package main

import (
	_ "embed"
	"regexp"
	"sync"

	"github.com/goccy/go-yaml"
)

// settings are what a suite's documentation says of a program, and its Makefile or run script does not: where its input comes from,
// arguments, and the smaller of the sizes that it offers.
type settings struct {
	Program   string   `yaml:"program"`   // an expression for its path
	Needs     string   `yaml:"needs"`     // what it lacks, so that it can run nowhere as it is
	Eligible  bool     `yaml:"eligible"`  // though its folder has words of what no Kepler runs
	Apart     bool     `yaml:"apart"`     // its Makefile is not asked: each file with a main is a program
	Prepare   string   `yaml:"prepare"`   // a command of the shell that makes its input, in its folder
	Flags     []string `yaml:"flags"`     // of nvcc
	Make      []string `yaml:"make"`      // variables of make
	Run       string   `yaml:"run"`       // a command of the shell that runs it, in its folder
	Arguments []string `yaml:"arguments"` // its own
	Input     string   `yaml:"input"`     // its standard input
	Devices   int      `yaml:"devices"`   // GPUs that it takes for granted
	Why       string   `yaml:"why"`       // where the settings come from
}

//go:embed settings.yaml
var settingsText []byte

// suite is how a whole suite is prepared.
type suiteSettings struct {
	Marker string `yaml:"marker"` // a file that it has
	Setup  string `yaml:"setup"`  // a command of the shell in its root
}

type allSettings struct {
	Suites   []suiteSettings `yaml:"suites"`
	Programs []settings      `yaml:"programs"`
}

var readSettings = sync.OnceValues(func() (allSettings, error) {
	var all allSettings
	return all, yaml.UnmarshalWithOptions(settingsText, &all, yaml.Strict())
})

// settingsOf are the settings of a program; the first row that matches counts.
func settingsOf(name string) settings {
	all, err := readSettings()
	if err != nil {
		panic(err) // the file is a part of this program, and a test reads it
	}
	for _, s := range all.Programs {
		if regexp.MustCompile(s.Program).MatchString(name) {
			return s
		}
	}
	return settings{}
}
