package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"time"
)

// billOfMaterials returns a program's bill of materials in SPDX 2.3 (https://spdx.github.io/spdx-spec/v2.3): the module, its dependencies
// with Go's checksums, and Go's standard library.
func billOfMaterials(name string, info *debug.BuildInfo, hash [sha256.Size]byte, date time.Time) ([]byte, error) {
	b := spdx{Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name,
		Namespace: fmt.Sprintf("https://github.com/keplersim/keplersim/releases/%s-%x", name, hash),
		Creation:  spdxCreation{date.Format(time.RFC3339), []string{"Tool: keplersim/tools/release"}}}
	root := b.add(&info.Main, "MIT")
	b.Relationships = append(b.Relationships, spdxRelationship{b.ID, root, "DESCRIBES"})
	for _, m := range append(info.Deps, &debug.Module{Path: "std", Version: info.GoVersion}) {
		b.Relationships = append(b.Relationships, spdxRelationship{root, b.add(m, "NOASSERTION"), "DEPENDS_ON"})
	}
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}

type spdx struct {
	Version       string             `json:"spdxVersion"`
	License       string             `json:"dataLicense"`
	ID            string             `json:"SPDXID"`
	Name          string             `json:"name"`
	Namespace     string             `json:"documentNamespace"`
	Creation      spdxCreation       `json:"creationInfo"`
	Packages      []spdxPackage      `json:"packages"`
	Relationships []spdxRelationship `json:"relationships"`
}

type spdxCreation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type spdxPackage struct {
	ID       string          `json:"SPDXID"`
	Name     string          `json:"name"`
	Version  string          `json:"versionInfo"`
	Download string          `json:"downloadLocation"`
	Analyzed bool            `json:"filesAnalyzed"`
	License  string          `json:"licenseDeclared"`
	Summary  string          `json:"comment,omitempty"` // the checksum in go.sum
	External []spdxReference `json:"externalRefs"`
}

type spdxReference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type spdxRelationship struct {
	Element string `json:"spdxElementId"`
	Related string `json:"relatedSpdxElement"`
	Type    string `json:"relationshipType"`
}

// add adds a module and returns its identifier.
func (b *spdx) add(m *debug.Module, license string) string {
	p := spdxPackage{ID: fmt.Sprintf("SPDXRef-Package-%d", len(b.Packages)), Name: m.Path, Version: m.Version, Download: "NOASSERTION",
		License: license, External: []spdxReference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.Path + "@" + m.Version}}}
	switch {
	case m.Replace != nil:
		p.Summary = "without fonts that the program does not use (tools/release/fonts.go)"
	case m.Sum != "":
		p.Summary = "go.sum: " + m.Sum
	}
	b.Packages = append(b.Packages, p)
	return p.ID
}
