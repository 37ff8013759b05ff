/// The page of a report, of a storm's or of two compared for instance, which needs nothing else: no script, no font, no
/// picture from anywhere.
enum HTMLPage {
  /// - Parameters:
  ///   - title: What the browser's tab says, as markup.
  ///   - body: What the page shows, as markup.
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
