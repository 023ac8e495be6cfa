// Saving, loading, hashing and listing are visitors of the same list of fields: each field of a game is named once, in
// its `visit(Archive&)`, and with it what it may be (core/ranges.h):
//
//     void visit(Archive& archive) override {
//         archive("grid", grid_, world_grid(kWidth, kHeight, {kSpace, kWall}));
//         archive("entities", entities_, within(1, kMost), entity_ranges())("steps", steps_, step_count());
//         if (archive.checking()) check_loaded();
//     }
//
// A field is a number or an enum with its rule, a bool, a vector with the rule of its size and those of its items, or
// anything with `visit(Archive&, rules...)` itself. Only loading looks at the rules, and does so here, once for all
// games: what does not follow them is refused. What one rule cannot say, because it concerns several fields, a game
// says at the end of its `visit`, with `require_state`.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"
#include "core/ranges.h"

namespace wm {

template <class Field>
struct IsVector : std::false_type {};
template <class Item>
struct IsVector<std::vector<Item>> : std::true_type {};

class Archive {
public:
    using Bytes = std::vector<std::uint8_t>;

    using Fields = std::vector<std::pair<std::string, double>>;

    static Archive saver(Bytes& out) {
        Archive archive(Purpose::Save);
        archive.out_ = &out;
        return archive;
    }
    // Bytes that may come from anywhere: every rule is checked. Throws InvalidState.
    static Archive loader(const std::uint8_t* data, std::size_t size) {
        Archive archive = restorer(data, size);
        archive.checks_ = true;
        return archive;
    }
    // Bytes that this process has just saved: whatever was, can be again.
    static Archive restorer(const std::uint8_t* data, std::size_t size) {
        Archive archive(Purpose::Load);
        archive.data_ = data;
        archive.size_ = size;
        return archive;
    }
    static Archive hasher() { return Archive(Purpose::Hash); }
    // Appends every number under its path, "entities/0/x"; grids are left out.
    static Archive lister(Fields& out) {
        Archive archive(Purpose::List);
        archive.fields_ = &out;
        return archive;
    }

    bool loading() const { return purpose_ == Purpose::Load; }
    bool checking() const { return checks_; }
    std::size_t bytes_left() const { return size_ - position_; }
    std::uint64_t digest() const { return digest_; }

    template <class Field, class... Rules>
    Archive& operator()(const char* name, Field& field, const Rules&... rules) {
        visit_at({name, 0, innermost_}, field, rules...);
        return *this;
    }

    // An item of a list, under its index.
    template <class Item, class... Rules>
    void item(std::size_t index, Item& item, const Rules&... rules) {
        visit_at({nullptr, index, innermost_}, item, rules...);
    }

    // A vector of `count` small numbers, each of which `kinds.allows`, stored as (run length, value) pairs.
    template <class Kinds>
    Archive& runs(const char* name, std::vector<std::uint8_t>& values, std::size_t count, const Kinds& kinds) {
        if (purpose_ == Purpose::List) return *this;
        const Step step = {name, 0, innermost_};
        auto stored = static_cast<std::uint32_t>(values.size());
        number(step, stored, exactly(static_cast<std::int64_t>(count)));
        if (loading()) load_runs(step, values, stored, kinds);
        else save_runs(step, values);
        return *this;
    }

private:
    enum class Purpose { Save, Load, Hash, List };

    // Where in the state a field is, seen from the inside.
    struct Step {
        const char* name;  // nullptr: an index
        std::size_t index;
        const Step* outer;
    };

    explicit Archive(Purpose purpose) : purpose_(purpose) {}

    template <class Field, class... Rules>
    void visit_at(const Step& step, Field& field, const Rules&... rules) {
        if constexpr (std::is_same_v<Field, bool>) {
            auto byte = static_cast<std::uint8_t>(field);
            number(step, byte, below(2));
            field = byte != 0;
        } else if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field>) {
            static_assert(sizeof...(Rules) == 1, "a number needs a rule that says what it may be: core/ranges.h");
            number(step, field, rules...);
        } else {
            innermost_ = &step;
            if constexpr (IsVector<Field>::value) visit_items(step, field, rules...);
            else field.visit(*this, rules...);
            innermost_ = step.outer;
        }
    }

    template <class Item, class Rule, class... Rules>
    void visit_items(const Step& step, std::vector<Item>& items, const Rule& size_rule, const Rules&... rules) {
        auto count = static_cast<std::uint32_t>(items.size());
        if (purpose_ != Purpose::List) number(step, count, size_rule);
        if (loading()) {
            // Each item takes a byte at least, so a nonsensical count cannot ask for all the memory.
            if (count > bytes_left()) refuse_short(step);
            items.resize(count);
        }
        for (std::size_t i = 0; i < items.size(); ++i) item(i, items[i], rules...);
    }

    template <class Field, class Rule>
    void number(const Step& step, Field& field, const Rule& rule) {
        if constexpr (std::is_enum_v<Field>) {
            auto value = static_cast<std::underlying_type_t<Field>>(field);
            number(step, value, rule);
            field = static_cast<Field>(value);
        } else if (purpose_ == Purpose::List) {
            fields_->emplace_back(path(step), static_cast<double>(field));
        } else {
            bytes(step, &field, sizeof(Field));
            if (checks_ && !rule.allows(field)) refuse(step, number_text(field), rule.text());
        }
    }

    void bytes(const Step& step, void* field, std::size_t count) {
        if (purpose_ == Purpose::Save) {
            const auto* begin = static_cast<const std::uint8_t*>(field);
            out_->insert(out_->end(), begin, begin + count);
        } else if (purpose_ == Purpose::Load) {
            if (count > bytes_left()) refuse_short(step);
            std::memcpy(field, data_ + position_, count);
            position_ += count;
        } else if (purpose_ == Purpose::Hash) {
            digest_ = hash_bytes(static_cast<const std::uint8_t*>(field), count, digest_);
        }
    }

    void save_runs(const Step& step, const std::vector<std::uint8_t>& values) {
        for (std::size_t start = 0, end; start < values.size(); start = end) {
            end = start + 1;
            while (end < values.size() && end - start < 255 && values[end] == values[start]) ++end;
            std::uint8_t run[2] = {static_cast<std::uint8_t>(end - start), values[start]};
            bytes(step, run, sizeof(run));
        }
    }

    template <class Kinds>
    void load_runs(const Step& step, std::vector<std::uint8_t>& values, std::size_t count, const Kinds& kinds) {
        values.clear();
        values.reserve(count);
        std::uint8_t run[2] = {};
        while (values.size() < count) {
            const std::uint8_t before[2] = {run[0], run[1]};
            bytes(step, run, sizeof(run));
            // As `save_runs` splits them, so that a state has one form only.
            const bool goes_on = run[1] == before[1] && before[0] > 0 && before[0] < 255;
            if (run[0] == 0 || goes_on || values.size() + run[0] > count) refuse_short(step);
            if (checks_ && !kinds.allows(run[1])) refuse(step, number_text(run[1]), kinds.text());
            values.insert(values.end(), run[0], run[1]);
        }
    }

    static std::string path(const Step& step);
    [[noreturn]] static void refuse(const Step& step, const std::string& value, const std::string& allowed);
    [[noreturn]] static void refuse_short(const Step& step);

public:
    // FNV-1a, 64 bits: small, fast enough for a few kilobytes, the same everywhere.
    static std::uint64_t hash_bytes(const std::uint8_t* data, std::size_t count, std::uint64_t digest = kHashStart) {
        for (std::size_t i = 0; i < count; ++i) digest = (digest ^ data[i]) * 0x100000001B3ULL;
        return digest;
    }

private:
    static constexpr std::uint64_t kHashStart = 0xCBF29CE484222325ULL;

    Purpose purpose_;
    bool checks_ = false;
    Bytes* out_ = nullptr;
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t position_ = 0;
    Fields* fields_ = nullptr;
    const Step* innermost_ = nullptr;  // the field that is being visited
    std::uint64_t digest_ = kHashStart;
};

}  // namespace wm
