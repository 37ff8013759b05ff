/// A queue of which the first element is taken in constant time.
struct WebhookFIFO<Element> {
  private var elements: [Element?] = []
  private var first = 0

  var count: Int { elements.count - first }
  var isEmpty: Bool { count == 0 }
  var head: Element? { first < elements.count ? elements[first] : nil }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard first < elements.count else { return nil }
    let element = elements[first]
    elements[first] = nil
    first += 1
    if first > 32, 2 * first > elements.count {
      elements.removeFirst(first)
      first = 0
    }
    return element
  }

  func visit(_ body: (Element) -> Void) {
    for case let element? in elements[first...] { body(element) }
  }

  /// Removes every element that is not meant.
  mutating func keep(_ isMeant: (Element) -> Bool) {
    elements = elements[first...].filter { $0.map(isMeant) ?? false }
    first = 0
  }
}
