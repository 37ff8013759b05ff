internal import GatewayCore
internal import GatewayJSON

/// The settings of one call: its type's settings, overridden by its own.
///
/// Source of the types' defaults: Stream's documentation of its built-in call types. Other types start with the
/// settings of `default`.
struct StreamCallSettings: Sendable {
  private let type: String
  /// The settings that servers have made for the type.
  private let said: [String: String]
  private let overrides: [String: String]

  init(of call: StreamCall) {
    self.init(type: call.id.type, call.definition, overrides: call.settings)
  }

  init(type: String, _ definition: StreamCallType? = nil, overrides: [String: String] = [:]) {
    self.type = type
    self.said = definition?.settings ?? [:]
    self.overrides = overrides
  }

  /// Returns the value at `path` as JSON text; nil if there is none.
  private func text(_ path: String, _ standard: String?) -> String? {
    overrides[path] ?? said[path] ?? StreamSetting.standards[type]?[path] ?? standard
  }

  private static let standardTexts: [String: String] = {
    var texts: [String: String] = [:]
    func read(_ settings: [StreamSetting], below path: String) {
      for setting in settings {
        switch setting {
        case .group(let name, let members): read(members, below: path + name + ".")
        case .value(let name, _, let standard): texts[path + name] = standard
        }
      }
    }
    read(StreamSetting.catalogue, below: "")
    return texts
  }()

  /// Returns the flag at `path`; false if it was not set.
  func flag(_ path: String) -> Bool {
    text(path, Self.standardTexts[path]) == "true"
  }

  /// Returns the number at `path`; nil if it was not set.
  func number(_ path: String) -> Int64? {
    text(path, Self.standardTexts[path]).flatMap { Int64($0) }
  }

  /// Returns the word at `path`; nil if it was not set.
  func choice(_ path: String) -> String? {
    text(path, Self.standardTexts[path]).map { String($0.dropFirst().dropLast()) }
  }

  // MARK: JSON

  /// Writes the whole object in the order of the catalogue. A group without known values is left out.
  func write(to json: inout JSONWriter) {
    if overrides.isEmpty, said.isEmpty, let known = Self.written[type] ?? Self.written["default"] {
      return json.raw(known)
    }
    writeAll(to: &json)
  }

  private func writeAll(to json: inout JSONWriter) {
    json.beginObject()
    write(StreamSetting.catalogue, below: "", to: &json)
    json.endObject()
  }

  /// The settings of each type as text: nearly every call has them, and every event with a call contains them.
  private static let written: [String: String] = {
    let types = Array(StreamSetting.standards.keys) + ["default"]
    return Dictionary(
      uniqueKeysWithValues: types.map { type in
        var json = JSONWriter(capacity: 4096)
        StreamCallSettings(type: type).writeAll(to: &json)
        return (type, json.text)
      })
  }()

  private func write(_ settings: [StreamSetting], below path: String, to json: inout JSONWriter) {
    for setting in settings {
      switch setting {
      case .group(let name, let members):
        guard hasAny(members, below: path + name + ".") else { continue }
        json.name(name)
        json.beginObject()
        write(members, below: path + name + ".", to: &json)
        json.endObject()
      case .value(let name, _, let standard):
        guard let text = text(path + name, standard) else { continue }
        json.name(name)
        json.raw(text)
      }
    }
  }

  private func hasAny(_ settings: [StreamSetting], below path: String) -> Bool {
    settings.contains { setting in
      switch setting {
      case .group(let name, let members): hasAny(members, below: path + name + ".")
      case .value(let name, _, let standard): text(path + name, standard) != nil
      }
    }
  }

  // MARK: Overrides

  /// Returns the overrides in `body`, a `settings_override`, by path. Members without a setting are ignored, since
  /// clients may be newer than this list.
  static func overrides(in body: StreamBody) throws(StreamError) -> [String: String] {
    var overrides: [String: String] = [:]
    try read(StreamSetting.catalogue, in: body, below: "", into: &overrides)
    return overrides
  }

  private static func read(
    _ settings: [StreamSetting], in body: StreamBody, below path: String, into overrides: inout [String: String]
  ) throws(StreamError) {
    for setting in settings {
      switch setting {
      case .group(let name, let members):
        guard let inner = try body.object(name) else { continue }
        try read(members, in: inner, below: path + name + ".", into: &overrides)
      case .value(let name, let kind, _):
        guard let text = try read(name, kind, in: body) else { continue }
        overrides[path + name] = text
      }
    }
  }

  private static func read(
    _ name: String, _ kind: StreamSettingKind, in body: StreamBody
  ) throws(StreamError) -> String? {
    switch kind {
    case .flag:
      return try body.bool(name).map { $0 ? "true" : "false" }
    case .number(let range):
      return try body.integer(name, in: range).map(String.init)
    case .choice(let choices):
      guard let text = try body.string(name, max: 255) else { return nil }
      guard choices.contains(text) else { throw body.wrong(name, "one of \(choices.joined(separator: ", "))") }
    case .text:
      guard try body.string(name, max: 255) != nil else { return nil }
    case .texts:
      guard let texts = try body.strings(name) else { return nil }
      guard texts.allSatisfy({ $0.utf8.count <= 255 }) else { throw body.wrong(name, "strings of at most 255 bytes") }
    }
    return body.value(name)?.text
  }
}
