/* libqrencode. Its functions may be called on several threads at once. */
#pragma once

#include <qrencode.h>
