// Package page writes a run as one HTML file that needs nothing else: no server, no network. It has the JSON report within, from
// which the page's script draws everything, so that its figures are those of the report.
package page
