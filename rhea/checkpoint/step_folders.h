// The step-N folders of a run: which there are, which are whole, where another run's are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rhea {

// "step-N".
std::string step_folder_name(std::int64_t step);

// N, if the name is exactly step_folder_name(N) of some N >= 0.
std::optional<std::int64_t> step_of(std::string_view name);

// Steps that have a folder "step-N" (see step_of), ascending, whole or not. No folder: none. Everything
// that is named otherwise is not ours.
std::vector<std::int64_t> list_steps(const std::filesystem::path& folder);

// As list_steps, without those that check_checkpoint refuses.
std::vector<std::int64_t> list_complete_steps(const std::filesystem::path& folder);

// Removes all but the newest `keep` complete checkpoints at or before `step` (0 keeps all), and what dead processes
// left unfinished there (step-M.tmp-PID, M <= step). Broken checkpoints and all other files are left alone. A failure
// is warned of: the checkpoint just written is safe.
void remove_old_checkpoints(const std::filesystem::path& folder, std::int64_t step, std::int64_t keep);

// The step folder that `path` means: a step folder itself, a folder of step folders or a run's folder (the newest
// complete step of path or path/folder_name). Throws UsageError that lists what is there.
std::filesystem::path resolve_checkpoint(const std::filesystem::path& path, std::string_view folder_name = "checkpoint");

}  // namespace rhea
