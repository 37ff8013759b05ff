/// The one webhook of an application that is older than its hooks: the settings `webhook_url` and `webhook_events`.
struct StreamOlderWebhook: Hashable, Codable, Sendable {
  /// Empty if nothing is sent.
  var url = ""
  /// The types of the events that are sent; empty for all.
  var eventTypes: [String] = []

  /// Whether events of that type are sent to it.
  func takes(_ event: String) -> Bool {
    !url.isEmpty && (eventTypes.isEmpty || eventTypes.contains { $0.utf8.elementsEqual(event.utf8) })
  }
}
