package report

import "fmt"

// style is the look of a line on a terminal: the parameters of an SGR sequence (ECMA-48, 8.3.117).
type style string

// The styles.
const (
	styleTitle style = "1"    // bold
	styleGood  style = "32"   // green
	styleBad   style = "1;31" // bold red
	styleNote  style = "33"   // yellow
)

// Bad returns a text about a failure, coloured for a terminal.
func Bad(text string) string { return styleBad.paint(text) }

// paint returns a text in a style.
func (s style) paint(text string) string { return "\x1b[" + string(s) + "m" + text + "\x1b[0m" }

// styled writes a line, in a style if the report is coloured.
func (p *printer) styled(s style, format string, arguments ...any) {
	text := fmt.Sprintf(format, arguments...)
	if p.color && s != "" && text != "" {
		text = s.paint(text)
	}
	p.line("%s", text)
}
