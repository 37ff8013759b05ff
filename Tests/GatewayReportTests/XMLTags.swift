/// A checker that tags are closed in order; it knows the void elements of the page.
struct XMLTags {
  var problem: String?
  var count = 0

  init(_ html: String) {
    var open: [Substring] = []
    for part in html.split(separator: "<").dropFirst() {
      let tag = part.prefix { $0 != ">" }
      let name = tag.prefix { !$0.isWhitespace && $0 != "/" }
      count += 1
      if tag.hasPrefix("!") || ["meta"].contains(name) || tag.hasSuffix("/") { continue }
      if tag.hasPrefix("/") {
        guard open.popLast() == tag.dropFirst() else {
          problem = "</\(tag.dropFirst())> out of place"
          return
        }
      } else {
        open.append(name)
      }
    }
    if let last = open.last { problem = "<\(last)> is not closed" }
  }
}
