"""Sphinx's configuration for the site."""

project = "OpenCallKit"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["html_image"]
smartquotes = False
highlight_language = "none"
html_theme = "furo"
html_favicon = "../../dbus/icons/org.opencallkit.Phone.svg"
html_title = "OpenCallKit"
html_short_title = "OpenCallKit"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False
html_show_copyright = False
html_last_updated_fmt = None
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#17754c", "color-brand-content": "#17754c"},
    "dark_css_variables": {"color-brand-primary": "#5ee08f", "color-brand-content": "#5ee08f"},
}
