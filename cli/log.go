package cli

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLogger logs to w: warnings alone, or everything. Lines have no time, so that they compare.
func newLogger(w io.Writer, verbose bool) *zap.Logger {
	level := zapcore.WarnLevel
	if verbose {
		level = zapcore.DebugLevel
	}
	encoding := zap.NewDevelopmentEncoderConfig()
	encoding.TimeKey, encoding.CallerKey, encoding.StacktraceKey = "", "", ""
	encoding.EncodeLevel = zapcore.LowercaseLevelEncoder
	encoding.ConsoleSeparator = "  "
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(encoding), zapcore.AddSync(w), level))
}
