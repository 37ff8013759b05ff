internal import GatewayCore

extension Name {
  /// The part after `custom.`; nil for a name without that prefix.
  var inCustom: Name? {
    let prefix = "custom."
    guard text.utf8.starts(with: prefix.utf8) else { return nil }
    return Name(Substring(text.utf8.dropFirst(prefix.utf8.count)))
  }
}

extension StreamCustom {
  /// The bytes of all names and values.
  var byteCount: Int { reduce(0) { $0 + $1.key.text.utf8.count + $1.value.utf8.count } }
}
