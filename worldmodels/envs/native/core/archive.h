// Saving, loading, hashing and listing are visitors of the same list of fields: each field of a game is named once, in
// its `visit(Archive&)`:
//
//     void visit(Archive& archive) override {
//         archive("grid", grid_)("entities", entities_)("play", streams_)("steps", steps_);
//     }
//
// A field is a number, a bool, an enum, a vector of fields, or anything with `visit(Archive&)` itself.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/check.h"

namespace wm {

class Archive {
public:
    using Bytes = std::vector<std::uint8_t>;

    using Variables = std::vector<std::pair<std::string, double>>;

    static Archive saver(Bytes& out) {
        Archive archive(Purpose::Save);
        archive.out_ = &out;
        return archive;
    }
    static Archive loader(const std::uint8_t* data, std::size_t size) {
        Archive archive(Purpose::Load);
        archive.data_ = data;
        archive.size_ = size;
        return archive;
    }
    static Archive hasher() { return Archive(Purpose::Hash); }
    // Appends every number under its path, "entities/0/x"; grids are left out.
    static Archive lister(Variables& out) {
        Archive archive(Purpose::List);
        archive.variables_ = &out;
        return archive;
    }

    bool loading() const { return purpose_ == Purpose::Load; }
    std::size_t bytes_left() const { return size_ - position_; }
    std::uint64_t digest() const { return digest_; }

    template <class Field>
    Archive& operator()(const char* name, Field& field) {
        if constexpr (std::is_arithmetic_v<Field> || std::is_enum_v<Field>) {
            if (purpose_ == Purpose::List) variables_->emplace_back(path_ + name, static_cast<double>(field));
            else bytes(name, &field, sizeof(Field));
        } else {
            const std::size_t outer = enter(name);
            field.visit(*this);
            path_.resize(outer);
        }
        return *this;
    }

    template <class Item>
    Archive& operator()(const char* name, std::vector<Item>& items) {
        auto count = static_cast<std::uint32_t>(items.size());
        bytes(name, &count, sizeof(count));
        if (loading()) {
            // Each item takes a byte at least, so a nonsensical count cannot ask for all the memory.
            if (count > bytes_left()) throw InvalidState(too_short(name));
            items.resize(count);
        }
        const std::size_t outer = enter(name);
        for (std::size_t i = 0; i < items.size(); ++i) {
            if (purpose_ == Purpose::List) (*this)(std::to_string(i).c_str(), items[i]);
            else (*this)(name, items[i]);
        }
        path_.resize(outer);
        return *this;
    }

    // A vector of small numbers, stored as (run length, value) pairs.
    Archive& runs(const char* name, std::vector<std::uint8_t>& values) {
        if (purpose_ == Purpose::List) return *this;
        auto count = static_cast<std::uint32_t>(values.size());
        bytes(name, &count, sizeof(count));
        if (loading()) {
            load_runs(name, values, count);
            return *this;
        }
        for (std::size_t start = 0, end; start < values.size(); start = end) {
            end = start + 1;
            while (end < values.size() && end - start < 255 && values[end] == values[start]) ++end;
            std::uint8_t run[2] = {static_cast<std::uint8_t>(end - start), values[start]};
            bytes(name, run, sizeof(run));
        }
        return *this;
    }

private:
    enum class Purpose { Save, Load, Hash, List };

    explicit Archive(Purpose purpose) : purpose_(purpose) {}

    // Returns the length of the path outside, to go back to. Only listing needs paths.
    std::size_t enter(const char* name) {
        const std::size_t outer = path_.size();
        if (purpose_ == Purpose::List) path_.append(name).push_back('/');
        return outer;
    }

    void bytes(const char* name, void* field, std::size_t count) {
        if (purpose_ == Purpose::Save) {
            const auto* begin = static_cast<const std::uint8_t*>(field);
            out_->insert(out_->end(), begin, begin + count);
        } else if (purpose_ == Purpose::Load) {
            if (count > bytes_left()) throw InvalidState(too_short(name));
            std::memcpy(field, data_ + position_, count);
            position_ += count;
        } else if (purpose_ == Purpose::Hash) {
            digest_ = hash_bytes(static_cast<const std::uint8_t*>(field), count, digest_);
        }
    }

    void load_runs(const char* name, std::vector<std::uint8_t>& values, std::uint32_t count) {
        constexpr std::uint32_t kMaximum = 1u << 20;
        if (count > kMaximum) throw InvalidState(too_short(name));
        values.clear();
        values.reserve(count);
        while (values.size() < count) {
            std::uint8_t run[2] = {};
            bytes(name, run, sizeof(run));
            if (run[0] == 0 || values.size() + run[0] > count) throw InvalidState(too_short(name));
            values.insert(values.end(), run[0], run[1]);
        }
    }

    static std::string too_short(const char* name) {
        return std::string("The saved state does not hold together at its field '") + name + "'.";
    }

public:
    // FNV-1a, 64 bits: small, fast enough for a few kilobytes, the same everywhere.
    static std::uint64_t hash_bytes(const std::uint8_t* data, std::size_t count, std::uint64_t digest = kHashStart) {
        for (std::size_t i = 0; i < count; ++i) digest = (digest ^ data[i]) * 0x100000001B3ULL;
        return digest;
    }

private:
    static constexpr std::uint64_t kHashStart = 0xCBF29CE484222325ULL;

    Purpose purpose_;
    Bytes* out_ = nullptr;
    const std::uint8_t* data_ = nullptr;
    std::size_t size_ = 0;
    std::size_t position_ = 0;
    Variables* variables_ = nullptr;
    std::string path_;
    std::uint64_t digest_ = kHashStart;
};

}  // namespace wm
