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

  /// What a gateway that plays it leaves its clients to guess, as warnings; none where nobody can play it.
  package var silences: [String] { (try? ServedWire(self))?.silences ?? [] }
}
