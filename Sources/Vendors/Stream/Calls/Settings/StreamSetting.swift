/// A setting of a call, or a group of settings, with its allowed values and its default, e.g.
/// `ring.auto_cancel_timeout_ms`.
indirect enum StreamSetting: Sendable {
  case group(String, [StreamSetting])
  case value(String, StreamSettingKind, standard: String?)

  static func flag(_ name: String, _ standard: Bool?) -> StreamSetting {
    .value(name, .flag, standard: standard.map { $0 ? "true" : "false" })
  }

  static func number(_ name: String, _ standard: Int64?, _ range: ClosedRange<Int64> = 0...1_000_000_000)
    -> StreamSetting
  {
    .value(name, .number(range), standard: standard.map(String.init))
  }

  /// Returns a setting with one of `choices`; the first is the default.
  static func choice(_ name: String, _ choices: [String], isOptional: Bool = false) -> StreamSetting {
    .value(name, .choice(choices), standard: isOptional ? nil : "\"\(choices[0])\"")
  }

  static func text(_ name: String) -> StreamSetting {
    .value(name, .text, standard: "\"\"")
  }

  static func texts(_ name: String, standard: String? = "[]") -> StreamSetting {
    .value(name, .texts, standard: standard)
  }
}

/// The kind of value that a setting accepts.
enum StreamSettingKind: Sendable {
  case flag
  case number(ClosedRange<Int64>)
  case choice([String])
  /// At most 255 bytes.
  case text
  /// At most 100 texts of at most 255 bytes each.
  case texts
}
