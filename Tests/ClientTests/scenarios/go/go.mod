module scenario

go 1.19
