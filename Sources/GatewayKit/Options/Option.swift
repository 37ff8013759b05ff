/// A flag and the setting that it sets. This one declaration provides the flag, the variable, the key in a file, the
/// line of the help, the check and the effect.
package struct Option<Settings: Sendable>: Sendable {
  package let flag: Flag
  /// Reads the flag. Leaves the settings unchanged if it is not given.
  private let take: @Sendable (Arguments, inout Settings) throws -> Void

  private init(_ flag: Flag, _ take: @escaping @Sendable (Arguments, inout Settings) throws -> Void) {
    self.flag = flag
    self.take = take
  }

  /// Creates an option that sets the property at `path`.
  package init<Value: Sendable>(
    _ name: String, _ value: String, _ help: String, _ path: any WritableKeyPath<Settings, Value> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.init(Flag(name, value, help)) { arguments, settings in
      if let value = try reading.read(arguments, name) { settings[keyPath: path] = value }
    }
  }

  /// Creates an option that sets the optional property at `path`.
  package init<Value: Sendable>(
    _ name: String, _ value: String, _ help: String, _ path: any WritableKeyPath<Settings, Value?> & Sendable,
    _ reading: Reading<Value>
  ) {
    self.init(Flag(name, value, help)) { arguments, settings in
      if let value = try reading.read(arguments, name) { settings[keyPath: path] = value }
    }
  }

  /// Creates a switch. If it is on, the property at `path` is set to `on`, else to the opposite.
  package init(
    _ name: String, _ help: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, on: Bool = true
  ) {
    self.init(Flag(name, nil, help)) { arguments, settings in
      if arguments.value(name) != nil { settings[keyPath: path] = try arguments.isOn(name) == on }
    }
  }

  /// Creates a switch that sets the property at `path`, with the switch's source.
  package init(
    _ name: String, _ help: String, _ path: any WritableKeyPath<Settings, Sourced<Bool>?> & Sendable
  ) {
    self.init(Flag(name, nil, help)) { arguments, settings in
      settings[keyPath: path] = try Reading<Bool> { try $0.isOn($1) }.sourced.read(arguments, name)
    }
  }

  /// Creates an option that calls `take` for each value of the flag, in their order.
  package init(
    _ name: String, _ value: String, _ help: String, repeats: Bool = false,
    take: @escaping @Sendable (Arguments.Value, inout Settings) throws -> Void
  ) {
    self.init(Flag(name, value, help, repeats: repeats)) { arguments, settings in
      for value in arguments.values(name) { try take(value, &settings) }
    }
  }

  /// Creates an option that appends each value of the flag to the array at `path`, as it was given.
  package init(
    _ name: String, _ value: String, _ help: String,
    each path: any WritableKeyPath<Settings, [Arguments.Value]> & Sendable
  ) {
    self.init(name, value, help, repeats: true) { value, settings in settings[keyPath: path].append(value) }
  }

  /// Creates a flag without an effect of its own; the code that makes the settings reads it together with others.
  package init(_ name: String, _ value: String?, _ help: String, repeats: Bool = false) {
    self.init(Flag(name, value, help, repeats: repeats)) { _, _ in }
  }

  /// Returns the same option for settings of which these are a part.
  package func of<Whole>(_ part: any WritableKeyPath<Whole, Settings> & Sendable) -> Option<Whole> {
    Option<Whole>(flag) { [take] arguments, settings in try take(arguments, &settings[keyPath: part]) }
  }

  /// Returns the same option for settings of which these are an optional part. If the part is missing, giving the flag
  /// is an error, whose text is the flag and `mistake`.
  package func of<Whole>(
    _ part: any WritableKeyPath<Whole, Settings?> & Sendable, orElse mistake: String
  ) -> Option<Whole> {
    Option<Whole>(flag) { [take, flag] arguments, settings in
      if var value = settings[keyPath: part] {
        try take(arguments, &value)
        settings[keyPath: part] = value
      } else if arguments.value(flag.name) != nil {
        throw UsageError("--\(flag.name) \(mistake)")
      }
    }
  }

  fileprivate func read(_ arguments: Arguments, into settings: inout Settings) throws {
    try take(arguments, &settings)
  }
}

extension Arguments {
  /// Reads the options, in their order.
  package func read<Settings>(_ options: [Option<Settings>], into settings: inout Settings) throws {
    // Only a few of the hundreds of options are given.
    for option in options where given[option.flag.name] != nil { try option.read(self, into: &settings) }
  }
}
