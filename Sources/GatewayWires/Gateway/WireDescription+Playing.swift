extension WireDescription {
  /// Why no gateway can play it; nil if one can.
  package var unplayable: DescriptionError? {
    do {
      _ = try ServedWire(self)
      return nil
    } catch {
      return error
    }
  }
}
