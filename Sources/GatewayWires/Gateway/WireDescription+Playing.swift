extension WireDescription {
  /// The reason why a gateway cannot play it; nil if it can.
  package var unplayable: DescriptionError? {
    do {
      _ = try ServedWire(self)
      return nil
    } catch {
      return error
    }
  }

  /// Warnings about what clients will not be told; empty if no gateway can play it.
  package var silences: [String] { (try? ServedWire(self))?.silences ?? [] }
}
