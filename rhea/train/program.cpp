#include "rhea/train/program.h"

#include "rhea/core/error.h"
#include "rhea/core/log.h"

#include <c10/util/Exception.h>

#include <cstdio>
#include <cstdlib>
#include <new>

namespace rhea {
namespace {

int run(const std::function<void()>& body) {
  try {
    body();
    return kExitDone;
  } catch (const Error& error) {
    log_error("{}", error.what());
    return error.status();
  } catch (const c10::Error& error) {
    // The backtrace is for us, not for the user: RHEA_BACKTRACE=1 shows it.
    log_error("{}", std::getenv("RHEA_BACKTRACE") != nullptr ? error.what() : error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    log_error("out of memory: lower training.local_batch_size or training.seq_len, or set activation_checkpoint.mode=full");
  } catch (const std::exception& error) {
    log_error("{}", error.what());
  }
  return kExitFailed;
}

}  // namespace

void run_program(const std::function<void()>& body) {
  const int status = run(body);
  std::fflush(stdout);
  std::fflush(stderr);
  std::_Exit(status);
}

}  // namespace rhea
