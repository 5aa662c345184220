package configs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/keplersim/keplersim/configs"
	"github.com/keplersim/keplersim/isa"
)

func TestOperationClassesAreThoseOfTheInstructionSet(t *testing.T) {
	assert.EqualValues(t, isa.ClassCount, configs.OperationClasses)
	for c := isa.ClassNone + 1; c < isa.ClassCount; c++ {
		assert.Equal(t, c.String(), configs.OperationClass(c).String())
	}
}
