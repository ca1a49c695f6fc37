// The C interface: settings by their names, and runs with them.
#include "c_api/handles.hpp"
#include "c_api/run.hpp"
#include "run/setting_text.hpp"

namespace manychain::c_api {
namespace {

/// The texts of setting_texts() as C has them.
struct SettingInC {
  std::string words;
  manychain_setting setting;
};

const std::vector<SettingInC>& settings_in_c() {
  static const std::vector<SettingInC> all = [] {
    std::vector<SettingInC> made;
    for (const SettingText& text : setting_texts()) {
      SettingInC& one = made.emplace_back();
      for (const std::string& word : text.words) one.words += (one.words.empty() ? "" : ", ") + word;
      one.setting = {text.name.c_str(), text.kind.c_str(), text.default_value.c_str(), "", text.help.c_str()};
    }
    for (SettingInC& one : made) one.setting.words = one.words.c_str();  // once they no longer move
    return made;
  }();
  return all;
}

template <class Work>
manychain_status with_settings(manychain_named_settings* settings, const Work& work) noexcept {
  return guarded([&] {
    require_not_null(settings, some_settings);
    work(*settings);
  });
}

}  // namespace
}  // namespace manychain::c_api

using namespace manychain;
using namespace manychain::c_api;

extern "C" {

size_t manychain_setting_count(void) {
  size_t count = 0;
  guarded([&] { count = settings_in_c().size(); });
  return count;
}
manychain_status manychain_get_setting(size_t index, manychain_setting* setting) {
  return guarded([&] {
    require_not_null(setting, "setting: give the address of one");
    require_index("index", index, settings_in_c().size());
    *setting = settings_in_c()[index].setting;
  });
}

manychain_named_settings* manychain_named_settings_new(void) {
  manychain_named_settings* settings = nullptr;
  guarded([&] { settings = new manychain_named_settings; });
  return settings;
}
void manychain_named_settings_free(manychain_named_settings* settings) { delete settings; }

manychain_status manychain_set(manychain_named_settings* settings, const char* name, const char* value) {
  return with_settings(settings, [&](manychain_named_settings& to) {
    require_not_null(name, "name: give that of a setting");
    require_not_null(value, "value: give a text");
    set_from_text(to.settings, name, value);
  });
}
manychain_status manychain_set_initial_points(manychain_named_settings* settings, const double* points, size_t count) {
  return with_settings(settings, [&](manychain_named_settings& to) {
    require_not_null(points, "points: give the address of the first number");
    to.settings.warmup.initial_points.assign(points, points + count);
  });
}
manychain_status manychain_add_initial_values(manychain_named_settings* settings, const char* json) {
  return with_settings(settings, [&](manychain_named_settings& to) {
    require_not_null(json, "json: give a text");
    to.initial_values.push_back(Data::from_json(json));
  });
}
manychain_status manychain_set_watch(manychain_named_settings* settings, manychain_watch watch, void* user) {
  return with_settings(settings, [&](manychain_named_settings& to) {
    to.watch = watch;
    to.watch_user = user;
  });
}

manychain_status manychain_sample_model(const manychain_model* model, const manychain_named_settings* settings,
                                        manychain_result** result) {
  return result_into(result, [&] {
    require_not_null(model, a_model);
    if (!settings) return run(model->model, {}, nullptr, nullptr);
    Settings used = settings->settings;
    if (!settings->initial_values.empty()) {
      if (!used.warmup.initial_points.empty())
        throw BadInput("Settings::warmup.initial_points: they and initial values exclude each other; give one of them");
      set_initial_points(model->model, settings->initial_values, used);
    }
    if (!settings->store.empty()) return run_stored(model->model, std::move(used), *settings);
    return run(model->model, std::move(used), settings->watch, settings->watch_user);
  });
}

}  // extern "C"
