package cli

import (
	"io"
	"log/slog"

	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
	"go.uber.org/zap/zapcore"
)

// newLogger logs to w: warnings alone, or everything. Lines have no time, so that they compare.
func newLogger(w io.Writer, verbose bool) *slog.Logger {
	level := zapcore.WarnLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	encoding := zap.NewDevelopmentEncoderConfig()
	encoding.TimeKey, encoding.CallerKey, encoding.StacktraceKey = "", "", ""
	encoding.EncodeLevel = zapcore.LowercaseLevelEncoder
	encoding.ConsoleSeparator = "  "
	return slog.New(zapslog.NewHandler(zapcore.NewCore(zapcore.NewConsoleEncoder(encoding), zapcore.AddSync(w), level)))
}
