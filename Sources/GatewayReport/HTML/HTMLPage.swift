/// The self-contained page of a report: it has no script, and no font or picture from elsewhere.
enum HTMLPage {
  /// Returns the page.
  ///
  /// - Parameters:
  ///   - title: The title in the browser's tab, as markup.
  ///   - body: The content of the page, as markup.
  static func text(title: String, body: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(title)</title>
    <style>\(HTMLStyle.sheet)</style>
    </head>
    <body>
    \(body)
    </body>
    </html>

    """
  }
}
