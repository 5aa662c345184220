module example.com/policies

go 1.26.0

require github.com/keplersim/keplersim v0.0.0

replace github.com/keplersim/keplersim => ../..
