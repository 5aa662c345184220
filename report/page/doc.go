// Package page writes a run as one self-contained HTML file that needs no server and no network. The file contains the JSON report. The
// page's script draws everything from it, so its figures are those of the report.
package page
